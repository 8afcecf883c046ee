import { ask } from '../gateway/calls.js';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { SAID } from '../support/models/tiny-model.js';
import { startPair } from '../support/two-processes.js';
import { liveModel, textOf } from './models.js';

/** The lease of a killed process has to run out before another process serves its deployments. */
const TAKEN_OVER_WITHIN_MS = 25_000;
/** Four processes start in this test, and three of them load a model. */
const TEST_MS = 120_000;

const pair = await startPair();
const { key, ...tenant } = await makeTenant(pair.a);
afterAll(() => pair.stop());

it(
  'a deployed model is reached from every process, and outlives all of them',
  async () => {
    const at = (target: { url: string }) => ({ ...tenant, key, api: Client.withKey(target, key) });
    const model = await liveModel(at(pair.a).api);
    for (const process of [pair.a, pair.b]) expect(textOf(await ask(at(process), model))).toBe(SAID);

    const third = await pair.another();
    await Promise.all([pair.a.kill(), pair.b.kill()]);
    const answer = await eventually(
      () => ask(at(third), model),
      ({ status }) => status === 200,
      TAKEN_OVER_WITHIN_MS,
    );
    expect(textOf(answer)).toBe(SAID);

    // A process that is stopped in order releases its deployments at once.
    const fourth = await pair.another();
    await third.stop();
    const again = await eventually(
      () => ask(at(fourth), model),
      ({ status }) => status === 200,
      TAKEN_OVER_WITHIN_MS,
    );
    expect(textOf(again)).toBe(SAID);
  },
  TEST_MS,
);
