import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Id } from '../../src/kernel/ids.js';
import { taskPrompt } from '../../src/modules/gateway/gateway.port.js';
import { Gateway } from '../../src/modules/gateway/gateway.service.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { connectTo, ledgerOf } from './calls.js';
import { startOddProvider } from './odd-provider.js';

const PARTS = 200;

const provider = await startOddProvider();
const service = await startService();
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const chunk = (delta: object, finishReason: string | null) =>
  `data: ${JSON.stringify({ id: '1', choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`;

/** Computes for a millisecond, as handling a part may. */
function compute(): void {
  const end = performance.now() + 1;
  while (performance.now() < end);
}

it('serves others between the parts of an answer that arrives at once', async () => {
  provider.answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(chunk({ content: 'word ' }, null).repeat(PARTS) + chunk({}, 'stop') + 'data: [DONE]\n\n');
  };
  const tenant = await makeTenant(service);
  const origin = { projectId: tenant.projectId as Id<'project'>, appId: tenant.appId as Id<'app'> };
  const model = await connectTo(tenant, provider);
  const request = { prompt: taskPrompt('Answer.', 'Hello') };
  const { parts } = await service.app.get(Gateway, { strict: false }).stream(origin, model, request);

  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns += 1) await nextTurn();
  })();
  const words = [];
  for await (const part of parts) {
    if (part.type !== 'text-delta') continue;
    words.push(part.delta);
    compute();
    // The last part comes after the call is recorded, which takes many turns.
    if (words.length === PARTS) isOver = true;
  }
  await others;
  expect(words.join('')).toBe('word '.repeat(PARTS));
  expect(turns).toBeGreaterThanOrEqual(15);
  expect(await ledgerOf(tenant)).toHaveLength(1);
});
