import pg from 'pg';
import { inRounds, median, PERCENTILES, percentiles, ratiosOf, size, spread, table } from './measure.mjs';
import { option } from './options.mjs';
import { copyForFloors, recordMessage } from './message-recorder.mjs';
import { senderToFloor, senderToService } from './webhooks-channel.mjs';
import { besideAHangingOne, manyWaiting } from './webhooks-deliveries.mjs';
import { loadMessages } from './webhooks-load.mjs';
import { BenchReceiver } from './webhooks-receiver.mjs';

/**
 * @import { Environment, Program } from './environment.mjs'
 * @import { Sender } from './webhooks-channel.mjs'
 */

const TARGET = 0.8;
/** Twice the rate that was measured when the target was set. */
const TARGET_A_SECOND = 166;
const ROUNDS = size(5, 3);
const MESSAGES = option('messages', size(400, 200));
/** A message runs through so much code that the engine has compiled it only after thousands of them. */
const WARM_UP_MESSAGES = size(3_000, 2_000);
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
    const { channel, recording } = await recordMessage(environment, SETTINGS, url);
    const floorUrl = await copyForFloors(environment.databaseUrl);
    const ofFloors = { ...SETTINGS, DATABASE_URL: floorUrl, CALLBACK_URL: `${url}/floor` };
    const service = await environment.startService(SETTINGS);
    const floor = await environment.startFloor('webhooks', ofFloors);
    const together = await environment.startFloor('webhooks', { ...ofFloors, TOGETHER: 'on' });
    await Promise.all([floor.ask(recording), together.ask(recording)]);
    const bull = await environment.startFloor('webhooks-bull', ofFloors);
    await database.connect();
    await besideTheFloors(environment, database, receiver, {
      ours: { program: service, send: senderToService(service.url, channel) },
      floor: { program: floor, send: senderToFloor(floor.url) },
      together: { program: together, send: senderToFloor(together.url) },
      bull: { program: bull, send: senderToFloor(bull.url) },
    });
    await Promise.all([floor.stop(), together.stop(), bull.stop()]);
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

/** @typedef {{ program: Program, send: Sender }} Loaded */

/** The measurements of one program: messages a second and computing for a message, by round, and times when calm. */
class Figures {
  /** @type {number[]} */
  perSecond = [];
  /** @type {number[]} */
  computing = [];
  /** @type {number[]} */
  calm = [];

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
 * @param {{ ours: Loaded, floor: Loaded, together: Loaded, bull: Loaded }} loaded
 */
async function besideTheFloors(environment, database, receiver, loaded) {
  console.log(`${ROUNDS} rounds of ${MESSAGES} messages from ${CLIENTS} clients, taking turns; fsync on`);
  const ours = new Figures();
  const floor = new Figures();
  const together = new Figures();
  const bull = new Figures();
  const programs = /** @type {const} */ ([
    [loaded.ours, ours],
    [loaded.floor, floor],
    [loaded.together, together],
    [loaded.bull, bull],
  ]);
  for (const [{ send }] of programs.toReversed()) await loadMessages(receiver, send, WARM_UP_MESSAGES, CLIENTS);
  // PostgreSQL analyses tables by itself within a minute. It then also drops the plans that it made when they
  // were empty.
  await database.query('analyze');
  const measurements = programs.map(([{ program, send }, found]) => async () => {
    const before = program.cpuSeconds();
    found.perSecond.push((await loadMessages(receiver, send, MESSAGES, CLIENTS)).perSecond);
    found.computing.push(((program.cpuSeconds() - before) * 1000) / MESSAGES);
    found.calm.push(...(await loadMessages(receiver, send, CALM_MESSAGES, 1)).waits);
  });
  await inRounds(ROUNDS, measurements);
  const ratios = ratiosOf(ours.perSecond, floor.perSecond);
  const ratiosToBull = ratiosOf(ours.perSecond, bull.perSecond);
  console.log(
    table([
      ['accepted → called back', 'messages/s', 'computing, ms', ...PERCENTILES.map((name) => `calm: ${name} ms`)],
      ours.row('Slipway'),
      floor.row('the floor: the same rows by hand'),
      ['ratio, pair by pair', spread(ratios, 2), '', '', '', ''],
      together.row('the floor, with the commits of several messages together'),
      ['ratio to the floor', spread(ratiosOf(together.perSecond, floor.perSecond), 2), '', '', '', ''],
      bull.row('bare Bull and one row'),
      ['ratio, pair by pair', spread(ratiosToBull, 2), '', '', '', ''],
    ]),
  );
  environment.judge({
    work: 'webhooks: a message called back',
    ours: ours.text,
    floor: `${floor.text}, the same rows by hand; ${spread(bull.perSecond)} a second by bare Bull and one row`,
    ratio: `${spread(ratios, 2)}; ${spread(ratiosToBull, 2)} of bare Bull and one row`,
    target: `at least ${TARGET} and ${TARGET_A_SECOND} a second`,
    isMet: median(ratios) >= TARGET && median(ours.perSecond) >= TARGET_A_SECOND,
  });
}
