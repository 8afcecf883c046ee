import { byReference, makeActiveAgent, runsPath } from '../agents/make.js';
import { aWaitingJob } from '../dock/make.js';
import { COMPLETIONS, connectTo, ledgerOf } from '../gateway/calls.js';
import { makeKeyWith, makeTenant, revoke } from '../support/actors.js';
import { mustStream, type OpenEventStream } from '../support/event-stream.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { eventually } from '../support/eventually.js';
import { report, SLACK, startAttacked } from './attacked.js';

const STREAMS = 20;
const CUT_WITHIN_MS = 1_000;

const double = await ModelDouble.start();
const service = await startAttacked();
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  await double.stop();
});
afterEach(() => service.expectLive());

/** Reads until the stream is cut, or has ended as if it were complete. */
async function endOf(stream: OpenEventStream): Promise<'cut' | 'ended'> {
  for (;;) {
    const more = await stream.next().catch(() => null);
    if (more === null) return 'cut';
    if (more === '') return 'ended';
  }
}

/** Opens streams with a key, revokes the key while all of them are open, and returns how each has ended. */
async function revokedWhile(open: (key: string) => Promise<OpenEventStream>) {
  const { key, keyId } = await makeKeyWith(service, tenant, ['RUN_API']);
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => open(key)));
  await Promise.all(streams.map((stream) => stream.next()));
  const begun = performance.now();
  const ends = Promise.all(streams.map(endOf));
  expect((await revoke(service, tenant.appId, keyId)).outcome).toBe('200');
  return { ends: await ends, ms: Math.round(performance.now() - begun) };
}

it.each<[string, () => Promise<(key: string) => Promise<OpenEventStream>>]>([
  [
    'chat completions',
    async () => {
      const model = await connectTo(tenant, double, 'halting');
      const body = { model, stream: true, messages: [{ role: 'user', content: 'Hello' }] };
      return (key) => mustStream(service, { key, path: COMPLETIONS, body });
    },
  ],
  [
    'runs of an agent',
    async () => {
      const connectionId = await connectTo(tenant, double, 'halting');
      await makeActiveAgent(service, tenant, { connectionId });
      let count = 0;
      return (key) => {
        count += 1;
        const body = { sessionIdentity: byReference(`revoked ${count}`), input: 'Hello', stream: true };
        return mustStream(service, { key, path: runsPath(tenant), body });
      };
    },
  ],
  [
    'the events of a dock job',
    async () => {
      const { id } = await aWaitingJob({ service, tenant });
      return (key) => mustStream(service, { key, path: `/api/public/dock-status/${id}/events` });
    },
  ],
])(`cuts ${STREAMS} streams of %s when their key is revoked, within a second`, async (what, prepare) => {
  const { ends, ms } = await revokedWhile(await prepare());
  report(`${STREAMS} streams of ${what} were cut after`, `${ms} ms`);
  expect(new Set(ends)).toEqual(new Set(['cut']));
  expect(ms).toBeLessThan(CUT_WITHIN_MS * SLACK);
});

it('records each call of the streams that were cut once in the ledger', async () => {
  const calls = await eventually(
    () => ledgerOf(tenant),
    (rows) => rows.length >= STREAMS,
  );
  expect(new Set(calls.map(({ callId }) => callId)).size).toBe(calls.length);
});

it('refuses every request with a key after its revocation has been answered, even under load', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { api, keyId } = await makeKeyWith(service, tenant, ['RUN_API']);
    await api.get('/api/public/me');
    let isRevoked = false;
    const late: string[] = [];
    const asking = Array.from({ length: 8 }, async () => {
      for (let after = 0; after < 3;) {
        const wasRevoked = isRevoked;
        const { outcome } = await api.get('/api/public/me');
        if (wasRevoked) {
          after += 1;
          late.push(outcome);
        }
      }
    });
    await revoke(service, tenant.appId, keyId);
    isRevoked = true;
    await Promise.all(asking);
    expect(new Set(late)).toEqual(new Set(['401 API_KEY_INVALID']));
  }
});
