import fc from 'fast-check';
import { administratorOf, makeTenant } from '../support/actors.js';
import type { RequestOptions } from '../support/client.js';
import { NAUGHTY_STRINGS } from '../support/naughty.js';
import { RouteSuite, takesJson } from '../support/route-suite.js';
import { startService } from '../support/service.js';
import { spoilt } from '../support/spoil.js';

/** The test client also checks that no answer reveals internals of the service. */
const service = await startService({ API_KEYS_PER_SCOPE: '5000' });
const suite = await RouteSuite.of(service);
const tenant = await makeTenant(service);
afterAll(() => service.stop());

const GENERATED = 40;
const WITHIN_MS = 5_000;

describe.each(suite.where(takesJson))('%s', (_, route) => {
  const send = async (request: Parameters<typeof suite.send>[2], options: RequestOptions) => {
    const begun = performance.now();
    const { status } = await suite.send(suite.callerOf(route, tenant), route, request, options);
    return { ...options, isFault: status >= 500, isLate: performance.now() - begun > WITHIN_MS };
  };

  it(`survives ${GENERATED} spoilt bodies`, async () => {
    const request = await suite.keptSample(route, tenant);
    for (const body of fc.sample(spoilt(request.body), { seed: 1, numRuns: GENERATED })) {
      expect(await send(request, { body })).toMatchObject({ isFault: false, isLate: false });
    }
  });
});

it.each(NAUGHTY_STRINGS)('keeps the name %j unchanged', async (name) => {
  const admin = administratorOf(service);
  const made = await admin.post<{ data: { projectId: string } }>('/api/admin/v1/projects', { name });
  // A name is refused if it is invisible, or contains characters that change what people see.
  if (made.status === 400) return expect(/\p{C}|\p{Zl}|\p{Zp}|^\p{Z}*$/u.test(name)).toBe(true);
  expect(made.outcome).toBe('201');
  const { body } = await admin.get<{ data: { name: string } }>(`/api/admin/v1/projects/${made.body.data.projectId}`);
  expect(body.data.name.normalize()).toBe(name.trim().normalize());
});
