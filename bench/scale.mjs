import pg from 'pg';
import { inProject } from '../scripts/project.mjs';
import { DAY_MS, PROJECTS } from './ledger-data.mjs';
import { inRounds, ratiosOf, size, spread, table } from './measure.mjs';
import { option } from './options.mjs';
import { copyForFloors, recordMessage } from './message-recorder.mjs';
import { printCosts } from './scale-costs.mjs';
import { inTurns, senderToFloor, senderToService } from './webhooks-channel.mjs';
import { loadMessages } from './webhooks-load.mjs';
import { BenchReceiver } from './webhooks-receiver.mjs';

/**
 * @import { Environment, Program } from './environment.mjs'
 * @import { Result } from './load.mjs'
 * @import { Sender } from './webhooks-channel.mjs'
 */

/** The numbers of processes of each kind that are measured. */
const OF_EACH_KIND = [1, 2, 4];
const ROUNDS = size(5, 3);
const MESSAGES = size(400, 200);
const ROUND_MS = size(1_500, 1_000);
/** Four processes share a round, and each has to become warm. */
const WARM_UPS = size(6, 1);
const CLIENTS = 16;
/** All processes together need fewer connections than the database allows. */
const SETTINGS = { DATABASE_POOL: '8', WORKER_SLOTS: '16', LOG_LEVEL: 'warn', OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' };

/**
 * Measures messages and pages of the ledger with more and more processes of each kind, beside as many of the floors. It
 * also measures the cost of a message in the database, from one process to a hundred.
 * @param {Environment} environment
 */
export default async function run(environment) {
  const receiver = new BenchReceiver();
  const receiverUrl = await receiver.start();
  const database = new pg.Client({ connectionString: environment.databaseUrl });
  try {
    const ledger = await prepareLedger(environment);
    const { channel, recording } = await recordMessage(environment, SETTINGS, receiverUrl);
    const floorUrl = await copyForFloors(environment.databaseUrl);
    const ofFloors = { ...SETTINGS, DATABASE_URL: floorUrl, CALLBACK_URL: `${receiverUrl}/floor` };
    await database.connect();
    const load = { database, receiver, channel, messages: MESSAGES, clients: CLIENTS };
    const staysTheSame = await printCosts(environment, SETTINGS, load);

    const generators = await startAll(Math.max(...OF_EACH_KIND), () =>
      environment.startProgram(inProject('bench', 'load.mjs')),
    );
    const rows = [['of each kind', 'messages a second', 'floor', 'ratio', 'pages a second', 'floor', 'ratio']];
    for (const count of OF_EACH_KIND) {
      const apis = await startAll(count, () => environment.startService({ ...SETTINGS, SLIPWAY_ROLE: 'api' }));
      const workers = await startAll(count, () => environment.startService({ ...SETTINGS, SLIPWAY_ROLE: 'worker' }));
      const floors = await startAll(count, () => environment.startFloor('webhooks', ofFloors));
      for (const floor of floors) await floor.ask(recording);
      const pageFloors = await startAll(count, () => environment.startFloor('ledger', SETTINGS));
      const messages = (/** @type {Sender[]} */ senders) => async () =>
        (await loadMessages(receiver, inTurns(senders), MESSAGES, CLIENTS)).perSecond;
      const pages = (/** @type {string[]} */ urls) => () => pagesPerSecond(generators, urls, ledger.key);
      rows.push([
        `${count}`,
        ...(await compare(
          messages(apis.map(({ url }) => senderToService(url, channel))),
          messages(floors.map(({ url }) => senderToFloor(url))),
        )),
        ...(await compare(
          pages(apis.map(({ url }) => url + ledger.path)),
          pages(pageFloors.map(({ url }) => `${url}/?${ledger.query}`)),
        )),
      ]);
      for (const program of [...apis, ...workers, ...floors, ...pageFloors]) await program.stop();
    }
    console.log(`${ROUNDS} rounds of ${MESSAGES} messages, and of ${ROUND_MS} ms of pages, from ${CLIENTS} clients`);
    console.log(table(rows));
    return staysTheSame;
  } finally {
    await database.end();
    receiver.stop();
  }
}

/** @param {Environment} environment */
async function prepareLedger(environment) {
  const { prepare } = await import('./ledger-prepare.mjs');
  const wanted = { rows: option('rows', undefined), projects: option('projects', undefined) };
  const otherwise = { rows: size(200_000, 50_000), projects: PROJECTS };
  const { service, projectId, key, now } = await prepare(environment, SETTINGS, wanted, otherwise);
  await service.stop();
  const window = `fromDate=${new Date(now - DAY_MS).toISOString()}&toDate=${new Date(now).toISOString()}&limit=100`;
  const path = `/api/public/analytics/projects/${projectId}/llm-ledger?${window}&sortOrder=desc`;
  return { path, query: `project=${projectId}&${window}`, key };
}

/**
 * @param {number} count
 * @param {() => Promise<Program>} start
 */
async function startAll(count, start) {
  const programs = [];
  for (let n = 0; n < count; n += 1) programs.push(await start());
  return programs;
}

/**
 * Measures the service and its floor in turns, and returns the cells of a table.
 * @param {() => Promise<number>} measureService
 * @param {() => Promise<number>} measureFloor
 */
async function compare(measureService, measureFloor) {
  for (let time = 0; time < WARM_UPS; time += 1) for (const measure of [measureFloor, measureService]) await measure();
  const [ours = [], floor = []] = await inRounds(ROUNDS, [measureService, measureFloor]);
  return [spread(ours), spread(floor), spread(ratiosOf(ours, floor), 2)];
}

/**
 * @param {Program[]} generators
 * @param {string[]} urls
 * @param {string} key
 */
async function pagesPerSecond(generators, urls, key) {
  const answers = await Promise.all(
    generators.map((generator, n) => {
      const url = urls[n % urls.length] ?? '';
      return generator.ask({ url, key, connections: CLIENTS / generators.length, milliseconds: ROUND_MS });
    }),
  );
  const results = /** @type {Result[]} */ (answers);
  const refused = results.reduce((sum, result) => sum + result.refused, 0);
  if (refused > 0) throw new Error(`${refused} requests were refused`);
  return results.reduce((sum, { perSecond }) => sum + perSecond, 0);
}
