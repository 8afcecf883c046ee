import 'reflect-metadata';
import { setTimeout as wait } from 'node:timers/promises';
import { RunningRequests } from '../dist/src/platform/auth/running-requests.js';
import { KeyListener } from '../dist/src/platform/auth/key-listener.js';
import { KnownKeys } from '../dist/src/platform/auth/known-keys.js';
import { DatabaseClock } from '../dist/src/platform/database/database-clock.js';

/**
 * Listens for revoked keys as so many processes of Slipway do: with the service's own listener, a connection and a
 * number for each. They answer no requests.
 */

/** @import { KeyDirectory } from '../dist/src/platform/auth/key-directory.js' */
/** @import { Settings } from '../dist/src/platform/config/settings.js' */
/** @import { Log } from '../dist/src/platform/telemetry/log.js' */

const settings = /** @type {Settings} */ ({ DATABASE_URL: process.env.DATABASE_URL ?? '' });
const log = /** @type {Log} */ (/** @type {unknown} */ ({ info: () => {}, warn: console.error }));
const keys = /** @type {KeyDirectory} */ (/** @type {unknown} */ ({ stillValid: async () => new Set() }));

const listeners = Array.from({ length: Number(process.env.LISTENERS) }, () => {
  const [running, clock] = [new RunningRequests(), new DatabaseClock(log)];
  return new KeyListener(settings, keys, running, new KnownKeys(keys), clock, log);
});
for (const listener of listeners) await listener.onModuleInit();
// On a busy machine, a listener may connect at its second try.
while (!listeners.every(({ isListening }) => isListening)) await wait(100);
process.send?.({ type: 'ready', url: '' });
process.once('disconnect', () => process.exit());
process.once('SIGTERM', () => {
  void Promise.all(listeners.map((listener) => listener.onApplicationShutdown())).then(() => process.exit());
});
