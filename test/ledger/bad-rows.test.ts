import { DAY_MS } from '../../src/kernel/spans.js';
import { administratorOf, makeTenant, type Tenant } from '../support/actors.js';
import type { Answer, Refused } from '../support/client.js';
import { startService } from '../support/service.js';
import { aCall, found, linesOf, write, type Written, writeLines } from './calls.js';

const service = await startService();
afterAll(() => service.stop());

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

type Write = (tenant: Tenant, rows: unknown[]) => Promise<Answer<Written>>;
const WAYS: [string, Write][] = [
  ['JSON', (tenant, rows) => write(tenant, ...rows)],
  ['lines', (tenant, rows) => writeLines(tenant, linesOf(rows))],
];

const badRowsOf = ({ body }: Answer) => (body as Refused).error.details?.badRows;

/** Nests this many lists in one another. */
const nested = (levels: number): unknown => (levels === 0 ? 0 : [nested(levels - 1)]);
const aDeepCall = (levels: number) => aCall({ payload: { response: { text: '' }, deep: nested(levels) } });
/** The body, the list of rows, the row and its payload are four of the 64 levels that a body may have. */
const MAX_LISTS = 64 - 4;

describe.each(WAYS)('the error for a batch as %s names every bad row', (_, send) => {
  const refusedRows = async (tenant: Tenant, rows: unknown[]) => {
    const answer = await send(tenant, rows);
    expect(answer.outcome).toBe('400 VALIDATION_ERROR');
    expect(await found(tenant)).toEqual([]);
    return badRowsOf(answer);
  };

  it.each([
    ['a NUL', () => aCall({ callId: 'a\0b' })],
    ['a lone surrogate', () => aCall({ payload: { response: { text: '\uD800' } } })],
    ['a name with a NUL', () => aCall({ payload: { response: { text: '' }, 'a\0b': 1 } })],
    ['80 levels', () => aDeepCall(80)],
    ['one level too many', () => aDeepCall(MAX_LISTS + 1)],
  ])('if one row has %s and the next has another fault', async (_fault, aBadCall) => {
    const tenant = await makeTenant(service);
    expect(await refusedRows(tenant, [aCall(), aBadCall(), aCall({ inputTokens: -1 })])).toEqual([1, 2]);
  });

  it('if hundreds of rows have a NUL each', async () => {
    const rows = Array.from({ length: 300 }, () => aCall({ callId: 'a\0b' }));
    expect(await refusedRows(await makeTenant(service), rows)).toEqual([...rows.keys()]);
  });

  it('if one row is too old for its project and another for every project', async () => {
    const tenant = await makeTenant(service);
    await administratorOf(service).put(`/api/admin/v1/projects/${tenant.projectId}/retention`, { days: { calls: 10 } });
    const rows = [daysAgo(20), '2025-01-01T00:00:00Z', daysAgo(1)].map((timestamp) => aCall({ timestamp }));
    expect(await refusedRows(tenant, rows)).toEqual([0, 1]);
  });

  it('if a row has hundreds of thousands of unknown members, and stays short', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 200_000 }, (_value, n) => [`m${n}`, 0]));
    const answer = await send(await makeTenant(service), [aCall(), { ...aCall(), ...unknown }]);
    expect(answer.outcome).toBe('400 VALIDATION_ERROR');
    expect(badRowsOf(answer)).toEqual([1]);
    expect(answer.text.length).toBeLessThan(64 * 1024);
  });

  it('but accepts a row with as many levels as a body may have', async () => {
    expect((await send(await makeTenant(service), [aDeepCall(MAX_LISTS)])).outcome).toBe('201');
  });
});

it('the error for a bad row names its faults and their places', async () => {
  const answer = await write(await makeTenant(service), aCall(), aCall({ callId: 'a\0b' }), aDeepCall(80));
  expect(answer.issues).toEqual([
    { path: 'generations.1.callId', message: expect.stringContaining('NUL') as string },
    {
      path: expect.stringMatching(/^generations\.2\.payload\b/) as string,
      message: expect.stringContaining('64') as string,
    },
  ]);
});

it('the error for a row with several faults names its time too', async () => {
  const early = { timestamp: daysAgo(500) };
  const bad = [{ latencyMs: -1 }, { callId: 'a\0b' }, { status: 'open', extra: 1 }];
  const { issues } = await write(await makeTenant(service), ...bad.map((faulty) => aCall({ ...early, ...faulty })));
  const placesOf = (row: number) =>
    issues.flatMap(({ path }) => (path.startsWith(`generations.${row}.`) ? [path.split('.')[2]] : []));
  expect(placesOf(0)).toEqual(['latencyMs', 'timestamp']);
  expect(placesOf(1)).toEqual(['callId', 'timestamp']);
  expect(placesOf(2).sort()).toEqual(['extra', 'status', 'timestamp']);
});
