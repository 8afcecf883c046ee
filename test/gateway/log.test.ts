import { makeTenant } from '../support/actors.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { CANARY } from '../support/providers/misbehaviour.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { settingsFor } from '../support/settings.js';
import { ask, connectTo } from './calls.js';

const double = await ModelDouble.start();
const service = await startProcess({ ...settingsFor(await createDatabase()), LOG_LEVEL: 'trace' });
afterAll(async () => {
  await service.kill();
  await double.stop();
});

const PROMPT = 'canary of what a user wrote';

it('the log says where a call of a model failed, without its prompt and answer', async () => {
  const tenant = await makeTenant(service);
  const messages = [{ role: 'user', content: PROMPT }];
  for (const how of ['no-key', 'refusing', 'html', 'other-json', 'redirect', 'hangup']) {
    const model = await connectTo(tenant, double, how);
    for (const stream of [false, true]) {
      expect((await ask(tenant, model, { messages, stream })).outcome).toBe('502 MODEL_CALL_FAILED');
    }
  }
  const lines = () => service.output().split('\n');
  await eventually(
    () => Promise.resolve(lines().filter((line) => line.includes('"code":"MODEL_CALL_FAILED"'))),
    (failed) => failed.length === 12,
  );
  expect(service.output()).toContain('The call of a model failed with');
  expect(lines().filter((line) => line.includes(PROMPT) || line.includes(CANARY))).toEqual([]);
});
