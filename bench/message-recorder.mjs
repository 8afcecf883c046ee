import pg from 'pg';
import { recordingOf } from './message-recording.mjs';
import { StatementTap } from './statements.mjs';
import { openChannel, senderToService } from './webhooks-channel.mjs';
import { until } from './webhooks-deliveries.mjs';
import { nextNumber } from './webhooks-load.mjs';

/** @import { Environment } from './environment.mjs' */

/**
 * Makes the channel with a process of the service that sends its statements through a proxy, and records a message.
 * @param {Environment} environment
 * @param {NodeJS.ProcessEnv} settings
 * @param {string} receiverUrl
 */
export async function recordMessage(environment, settings, receiverUrl) {
  const tap = new StatementTap(environment.databaseUrl);
  await tap.listen();
  const service = await environment.startService({ ...settings, DATABASE_URL: tap.url });
  const database = new pg.Client({ connectionString: environment.databaseUrl });
  await database.connect();
  try {
    const channel = await openChannel(environment, service.url, receiverUrl);
    const send = senderToService(service.url, channel);
    const statementsOfOne = async () => {
      tap.statements = [];
      const { id } = await send(nextNumber());
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

/**
 * Copies the database for the floors, so that the workers of the service do not see their jobs.
 * @param {string} databaseUrl
 */
export async function copyForFloors(databaseUrl) {
  const copied = new URL(databaseUrl);
  const name = copied.pathname.slice(1);
  copied.pathname = '/postgres';
  const server = new pg.Client({ connectionString: copied.href });
  await server.connect();
  // An earlier run on a server that is kept has made one.
  await server.query('drop database if exists bench_floor with (force)');
  await server.query(`create database bench_floor template ${server.escapeIdentifier(name)}`);
  await server.end();
  copied.pathname = '/bench_floor';
  return copied.href;
}
