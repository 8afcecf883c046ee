import pg from 'pg';
import { median, option, PERCENTILES, percentiles, size, spread, table } from './measure.mjs';
import { recordingOf } from './message-recording.mjs';
import { StatementTap } from './statements.mjs';
import { openChannel, senderToFloor, senderToService } from './webhooks-channel.mjs';
import { besideAHangingOne, manyWaiting, until } from './webhooks-deliveries.mjs';
import { BenchReceiver } from './webhooks-receiver.mjs';

/**
 * @import { Environment, Program } from './environment.mjs'
 * @import { Sender } from './webhooks-channel.mjs'
 */

const TARGET = 0.8;
const ROUNDS = size(5, 3);
const MESSAGES = option('--messages', size(400, 200));
const CALM_MESSAGES = size(60, 20);
const CLIENTS = 16;
const SETTINGS = { WORKER_SLOTS: '16', LOG_LEVEL: 'warn', OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' };

/**
 * Compares a message that is accepted, answered and called back with the same rows by hand, and with bare Bull and one
 * row. It also measures receivers beside one that hangs, and many waiting deliveries.
 * @param {Environment} environment
 */
export default async function run(environment) {
  const receiver = new BenchReceiver();
  const url = await receiver.start();
  const database = new pg.Client({ connectionString: environment.databaseUrl });
  try {
    const { channel, recording } = await record(environment, url);
    // The floors have a copy of the database, so that the workers of the service do not see their jobs.
    const ofFloors = { ...SETTINGS, DATABASE_URL: await copyOf(environment.databaseUrl), CALLBACK_URL: `${url}/floor` };
    const service = await environment.startService(SETTINGS);
    const floor = await environment.startFloor('webhooks', ofFloors);
    await floor.ask(recording);
    const bull = await environment.startFloor('webhooks-bull', ofFloors);
    await database.connect();
    await besideTheFloors(environment, database, receiver, {
      ours: { program: service, send: senderToService(service.url, channel) },
      floor: { program: floor, send: senderToFloor(floor.url) },
      bull: { program: bull, send: senderToFloor(bull.url) },
    });
    await Promise.all([floor.stop(), bull.stop()]);
    const { projectId } = channel;
    const measured = { database, serviceUrl: service.url, projectId, receiver, receiverUrl: url };
    await besideAHangingOne(environment, measured);
    await manyWaiting(environment, measured);
    return true;
  } finally {
    await database.end();
    receiver.stop();
  }
}

/**
 * Makes the channel with a process of the service that sends its statements through a proxy, and records a message.
 * @param {Environment} environment
 * @param {string} url
 */
async function record(environment, url) {
  const tap = new StatementTap(environment.databaseUrl);
  await tap.listen();
  const service = await environment.startService({ ...SETTINGS, DATABASE_URL: tap.url });
  const database = new pg.Client({ connectionString: environment.databaseUrl });
  await database.connect();
  try {
    const channel = await openChannel(environment, service.url, url);
    const send = senderToService(service.url, channel);
    const statementsOfOne = async () => {
      tap.statements = [];
      const { id } = await send((messagesSent += 1));
      await until(
        database,
        `select 1 - count(*)::int as count from webhook_delivery where event_id = $1 and status = 'DELIVERED'`,
        [id],
      );
      return { id, statements: tap.statements };
    };
    // The first message reads what the process does not know yet.
    await statementsOfOne();
    const earlier = await statementsOfOne();
    const { id, statements } = await statementsOfOne();
    return { channel, recording: recordingOf(earlier.statements, statements, id) };
  } finally {
    await database.end();
    await service.stop();
    tap.close();
  }
}

/** @param {string} databaseUrl */
async function copyOf(databaseUrl) {
  const copied = new URL(databaseUrl);
  const name = copied.pathname.slice(1);
  copied.pathname = '/postgres';
  const server = new pg.Client({ connectionString: copied.href });
  await server.connect();
  await server.query(`create database bench_floor template ${server.escapeIdentifier(name)}`);
  await server.end();
  copied.pathname = '/bench_floor';
  return copied.href;
}

let messagesSent = 0;

/**
 * @param {BenchReceiver} receiver
 * @param {Sender} send
 * @param {number} messages
 * @param {number} clients
 */
async function load(receiver, send, messages, clients) {
  /** @type {{ id: string, sent: number }[]} */
  const accepted = [];
  let left = messages;
  const begun = performance.now();
  const client = async () => {
    while (left > 0) {
      left -= 1;
      const one = await send((messagesSent += 1));
      accepted.push(one);
      // In a calm round, a message is sent when the callback of the last one has come.
      if (clients === 1) await receiver.until(() => receiver.arrivalOf(one.id) !== undefined);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  await receiver.until(() => accepted.every(({ id }) => receiver.arrivalOf(id) !== undefined));
  const seconds = (performance.now() - begun) / 1000;
  return {
    perSecond: messages / seconds,
    waits: accepted.map(({ id, sent }) => (receiver.arrivalOf(id) ?? NaN) - sent),
  };
}

/** @typedef {{ program: Program, send: Sender }} Loaded */

/** The measurements of one program: messages a second and computing for a message, by round, and times when calm. */
class Figures {
  /** @type {number[]} */
  perSecond = [];
  /** @type {number[]} */
  computing = [];
  /** @type {number[]} */
  calm = [];

  /** @param {Figures} floor */
  ratiosTo(floor) {
    return this.perSecond.map((each, round) => each / (floor.perSecond[round] ?? NaN));
  }

  get text() {
    return `${spread(this.perSecond)} a second; ${percentiles(this.calm)[0]} ms in a calm moment`;
  }

  /** @param {string} name */
  row(name) {
    return [name, spread(this.perSecond), spread(this.computing, 1), ...percentiles(this.calm)];
  }
}

/**
 * @param {Environment} environment
 * @param {pg.Client} database
 * @param {BenchReceiver} receiver
 * @param {{ ours: Loaded, floor: Loaded, bull: Loaded }} loaded
 */
async function besideTheFloors(environment, database, receiver, loaded) {
  console.log(`${ROUNDS} rounds of ${MESSAGES} messages from ${CLIENTS} clients, taking turns; fsync on`);
  const ours = new Figures();
  const floor = new Figures();
  const bull = new Figures();
  const programs = /** @type {const} */ ([
    [loaded.floor, floor],
    [loaded.ours, ours],
    [loaded.bull, bull],
  ]);
  for (const [{ send }] of programs) await load(receiver, send, MESSAGES, CLIENTS);
  // PostgreSQL analyses tables by itself within a minute. It then also drops the plans that it made when they
  // were empty.
  await database.query('analyze');
  for (let round = 0; round < ROUNDS; round += 1) {
    // The programs alternate in going first.
    for (const [{ program, send }, found] of round % 2 ? programs.toReversed() : programs) {
      const before = program.cpuSeconds();
      found.perSecond.push((await load(receiver, send, MESSAGES, CLIENTS)).perSecond);
      found.computing.push(((program.cpuSeconds() - before) * 1000) / MESSAGES);
      found.calm.push(...(await load(receiver, send, CALM_MESSAGES, 1)).waits);
    }
  }
  const ratios = ours.ratiosTo(floor);
  const ratiosToBull = ours.ratiosTo(bull);
  console.log(
    table([
      ['accepted → called back', 'messages/s', 'computing, ms', ...PERCENTILES.map((name) => `calm: ${name} ms`)],
      ours.row('Slipway'),
      floor.row('the floor: the same rows by hand'),
      ['ratio, pair by pair', spread(ratios, 2), '', '', '', ''],
      bull.row('bare Bull and one row'),
      ['ratio, pair by pair', spread(ratiosToBull, 2), '', '', '', ''],
    ]),
  );
  environment.judge({
    work: 'webhooks: a message called back',
    ours: ours.text,
    floor: `${floor.text}, the same rows by hand; ${spread(bull.perSecond)} a second by bare Bull and one row`,
    ratio: `${spread(ratios, 2)}; ${spread(ratiosToBull, 2)} of bare Bull and one row`,
    target: `at least ${TARGET}`,
    isMet: median(ratios) >= TARGET,
  });
}
