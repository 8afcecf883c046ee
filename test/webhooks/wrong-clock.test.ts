import { fileURLToPath } from 'node:url';
import { makeTenant } from '../support/actors.js';
import { createDatabase } from '../support/database.js';
import { readMetric } from '../support/metrics.js';
import { startProcess } from '../support/process.js';
import { Receiver, verify } from '../support/receiver.js';
import { settingsFor } from '../support/settings.js';
import { eventually } from '../support/eventually.js';
import { sendTest, subscribe } from './subscribe.js';

const WRONG_CLOCK = fileURLToPath(new URL('../support/wrong-clock.mjs', import.meta.url));

const service = await startProcess({
  ...settingsFor(await createDatabase()),
  LOG_LEVEL: 'warn',
  NODE_OPTIONS: `--import=${WRONG_CLOCK}`,
});
const receiver = await Receiver.start();
afterAll(async () => {
  await service.kill();
  await receiver.stop();
});

it('stamps callbacks with the time of the database if the clock of the machine is ten minutes ahead', async () => {
  const tenant = await makeTenant(service);
  const { subscriptionId, secret } = await subscribe(service, tenant, { callbackUrl: receiver.url('punctual') });
  await sendTest(service, subscriptionId);
  const [callback] = await eventually(
    () => receiver.at('punctual'),
    (callbacks) => callbacks.length > 0,
  );
  const seconds = Number(callback!.headers['webhook-timestamp']);
  expect(Math.abs(seconds - Date.now() / 1_000)).toBeLessThan(60);
  // The libraries of receivers refuse a callback that is more than five minutes old or early.
  verify(callback!, secret);
});

it('reports the difference', async () => {
  expect(await readMetric(service, 'slipway_clock_ahead_seconds')).toBeCloseTo(600, -1);
  expect(service.output().match(/clock differs/g)).toHaveLength(1);
});
