import { inProject } from '../scripts/project.mjs';
import { table } from './measure.mjs';
import { canCountEntries, cellsOf, COSTS, costOfMessages, tableRows, WITHOUT_ENTRIES } from './message-cost.mjs';
import { commandsBetween, redisCounts, sumOf } from './redis-counts.mjs';
import { StatementTap } from './statements.mjs';
import { inTurns, senderToService } from './webhooks-channel.mjs';
import { loadMessages } from './webhooks-load.mjs';

/**
 * @import pg from 'pg'
 * @import { Cost } from './message-cost.mjs'
 * @import { Environment, Program } from './environment.mjs'
 * @import { Channel } from './webhooks-channel.mjs'
 * @import { BenchReceiver } from './webhooks-receiver.mjs'
 */

/** Eight whole processes, of which one has both roles, and light ones that make a hundred. */
const FURTHER_ROLES = ['api', 'api', 'api', 'worker', 'worker', 'worker', 'worker'];
/** The light processes share programs, because a machine has not the memory for so many of them. */
const LIGHT = { programs: 4, inEach: 23 };
const MOST_GROWTH = 1.1;

/**
 * Prints the cost of a message in the database and in Redis with one process, with eight and with a hundred. Returns
 * whether it stays the same.
 * @param {Environment} environment
 * @param {Record<string, string>} settings
 * @param {{ database: pg.Client, receiver: BenchReceiver, channel: Channel, messages: number, clients: number }} load
 */
export async function printCosts(environment, settings, { database, receiver, channel, messages, clients }) {
  const tap = new StatementTap(environment.databaseUrl);
  await tap.listen();
  const start = (/** @type {string} */ role) =>
    environment.startService({ ...settings, DATABASE_URL: tap.url, SLIPWAY_ROLE: role });
  /** @type {Program[]} */
  const running = [];
  /** @type {string[]} */
  const addresses = [];
  const costs = [['processes', ...COSTS, 'commands of Redis', 'connections to Redis']];
  /** @type {Cost[]} */
  const measured = [];
  const measure = async (/** @type {number} */ processes) => {
    const send = inTurns(addresses.map((url) => senderToService(url, channel)));
    const sendAll = () => loadMessages(receiver, send, messages, clients);
    // The processes read some things once, and the first change of a page after a checkpoint writes the whole page to the
    // log. Neither is a cost of a message. PostgreSQL makes a checkpoint every five minutes.
    await sendAll();
    const before = await redisCounts(environment.redisUrl);
    const cost = await costOfMessages(database, tap, messages, sendAll);
    const { commands, connections } = await redisCounts(environment.redisUrl);
    const ofRedis = sumOf(commandsBetween(before.commands, commands)) / messages;
    costs.push([`${processes}`, ...cellsOf(cost), ofRedis.toFixed(1), `${connections}`]);
    measured.push(cost);
    return cost;
  };

  try {
    for (const role of ['all', ...FURTHER_ROLES]) {
      const service = await start(role);
      running.push(service);
      if (role !== 'worker') addresses.push(service.url);
      if (role === 'all') console.log(table(tableRows((await measure(1)).tables)));
    }
    await measure(running.length);
    const listeners = { DATABASE_URL: environment.databaseUrl, LISTENERS: `${LIGHT.inEach}` };
    const processes = running.length + LIGHT.programs * LIGHT.inEach;
    for (let n = 0; n < LIGHT.programs; n += 1) {
      running.push(await environment.startProgram(inProject('bench', 'listeners.mjs'), listeners));
    }
    await measure(processes);
    console.log(`A message of ${clients} clients, with all that the processes do meanwhile`);
    console.log(table(costs));
    if (!(await canCountEntries(database))) console.log(WITHOUT_ENTRIES);
    return judgeCosts(environment, measured);
  } finally {
    for (const program of running) await program.stop();
    tap.close();
  }
}

/**
 * @param {Environment} environment
 * @param {Cost[]} costs with one process, and last with the most
 */
function judgeCosts(environment, costs) {
  const [one, most] = [costs[0], costs.at(-1)];
  if (!one || !most) throw new Error('No cost was measured');
  const growth = Object.entries({
    statements: most.statements / one.statements,
    commits: most.commits / one.commits,
    rows: most.rows / one.rows,
    'index entries': most.entries / one.entries,
    'bytes of log': most.logBytes / one.logBytes,
  }).filter(([, ratio]) => !Number.isNaN(ratio));
  const isMet = growth.every(([, ratio]) => ratio <= MOST_GROWTH);
  environment.judge({
    work: 'scale: a message with a hundred processes, beside one with one process',
    ours: growth.map(([what, ratio]) => `${ratio.toFixed(2)} ${what}`).join(', '),
    target: `at most ${MOST_GROWTH}`,
    isMet,
  });
  return isMet;
}
