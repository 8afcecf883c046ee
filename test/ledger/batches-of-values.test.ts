import { makeTenant, type Tenant } from '../support/actors.js';
import { type Answer, faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';
import { aCall, found, ledgerPath, linesOf, MiB, writeLines } from './calls.js';

const service = await startService();
afterAll(() => service.stop());

/** An earlier release took minutes, because it parsed each value. */
const WITHIN_MS = 15_000;

const writeJson = ({ api, projectId }: Tenant, rawBody: string) => api.send('POST', ledgerPath(projectId), { rawBody });
const listOf = (rows: unknown[]) => JSON.stringify({ generations: rows });

async function inTime(work: Promise<Answer>): Promise<Answer> {
  const begun = performance.now();
  const answer = await work;
  expect(performance.now() - begun).toBeLessThan(WITHIN_MS);
  return answer;
}

describe('a batch of very many short values is refused quickly', () => {
  it.each(['1\n', '\n'])('if it is 64 MiB of lines such as %j', async (line) => {
    const answer = await inTime(writeLines(await makeTenant(service), line.repeat((64 * MiB) / line.length)));
    expect(answer).toMatchObject(faultsAt('generations'));
  });

  it('if it has more lines than a batch may have values', async () => {
    const answer = await inTime(writeLines(await makeTenant(service), '{}\n'.repeat(4_000_001)));
    expect(answer).toMatchObject(faultsAt(''));
    expect(answer.text).toContain('has more than 4000000 values');
  });

  it('if it is 16 MiB of JSON', async () => {
    const rows = '[],'.repeat(5 * MiB).slice(0, -1);
    const answer = await inTime(writeJson(await makeTenant(service), `{"generations":[${rows}]}`));
    expect(answer).toMatchObject(faultsAt(''));
    expect(answer.text).toContain('has more than 1000000 values');
  });
});

it('lines beyond the limit of a batch are not parsed', async () => {
  const tooMany = '1\n'.repeat(10_001);
  const answer = await writeLines(await makeTenant(service), `${tooMany}no JSON`);
  expect(answer).toMatchObject(faultsAt('generations'));
  const last = await writeLines(await makeTenant(service), `${tooMany.slice(2)}no JSON`);
  expect(last.outcome).toBe('400 MALFORMED_JSON');
});

/** Counts values as the service does: one for each comma, and one for each list or object. */
const valuesIn = (json: string) => json.match(/[,[{]/g)!.length;

/** Renders calls that have this many values together. */
function callsOf(values: number, render: (calls: unknown[]) => string, count: number): string {
  const withEach = (each: number, more: number) =>
    render(
      Array.from({ length: count }, (_, place) => {
        const zeros = Array.from({ length: each + (place === 0 ? more : 0) }, () => 0);
        return { ...aCall(), payload: { response: { text: 'x'.repeat(MiB) }, zeros } };
      }),
    );
  const missing = values - valuesIn(withEach(1, 0));
  return withEach(1 + Math.floor(missing / count), missing % count);
}

describe.each([
  ['JSON', writeJson, listOf, 1_000_000, 1],
  ['lines', writeLines, linesOf, 4_000_000, 5],
] as const)('a batch as %s', (_, send, render, most, count) => {
  it(`may have ${most} values`, async () => {
    const tenant = await makeTenant(service);
    const batch = callsOf(most, render, count);
    expect(valuesIn(batch)).toBe(most);
    expect((await send(tenant, batch)).outcome).toBe('201');
    expect(await found(tenant)).toHaveLength(count);
  });

  it('may not have one more', async () => {
    const tenant = await makeTenant(service);
    const answer = await send(tenant, callsOf(most + 1, render, count));
    expect(answer).toMatchObject(faultsAt(''));
    expect(answer.text).toContain(`has more than ${most} values`);
    expect(await found(tenant)).toEqual([]);
  });
});
