import { ask, connectTo } from '../gateway/calls.js';
import { aCall, read, write } from '../ledger/calls.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { Workers } from './workers.js';

const service = await startService();
const workers = new Workers(service);
const double = await ModelDouble.start();
afterAll(async () => {
  await service.stop();
  await double.stop();
});

it('answers 503 for the projects of a worker that hangs, and calls no model for them again', async () => {
  const [ofOther, ofHanging] = [await workers.makeTenantOn(0), await workers.makeTenantOn(1)];
  const [model, modelOfHanging] = [await connectTo(ofOther, double), await connectTo(ofHanging, double)];
  // Each connection to the coordinator keeps one to the worker, which hangs.
  for (const tenant of [ofOther, ofHanging]) expect((await write(tenant, aCall())).status).toBe(201);
  const before = double.calls.length;
  await workers.whileHanging(1, async () => {
    const refused = await Promise.all([read(ofHanging), write(ofHanging, aCall()), ask(ofHanging, modelOfHanging)]);
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(double.calls).toHaveLength(before + 1);
    const calls = await Promise.all([ask(ofHanging, modelOfHanging), ask(ofHanging, modelOfHanging)]);
    expect(calls.map(({ outcome }) => outcome)).toEqual(Array(2).fill('503 DATABASE_UNAVAILABLE'));
    expect(double.calls).toHaveLength(before + 1);
    expect((await ask(ofOther, model)).outcome).toBe('200');
    expect((await write(ofOther, aCall())).status).toBe(201);
  });
  expect((await write(ofHanging, aCall())).status).toBe(201);
  expect((await read(ofOther)).body.generations).toHaveLength(3);
  expect((await read(ofHanging)).body.generations).toHaveLength(2);
});
