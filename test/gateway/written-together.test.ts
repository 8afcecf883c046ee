import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { ask, ledgerOf } from './calls.js';

const service = await startService();
afterAll(() => service.stop());

const CALLS = 40;

/** Calls of this length are too long for one statement, so those that are recorded together are written in parts. */
const LENGTHS: [string, number][] = [
  ['short', 0],
  ['long', 60_000],
];

/** Makes many calls at once, each with its number in the prompt. */
async function askMany(tenant: Awaited<ReturnType<typeof makeTenant>>, length: number) {
  const contents = Array.from({ length: CALLS }, (_, at) => `This is number ${at}.${'x'.repeat(length)}`);
  const answers = await Promise.all(
    contents.map((content) => ask(tenant, 'mock', { messages: [{ role: 'user', content }] })),
  );
  return { contents, outcomes: answers.map(({ outcome }) => outcome) };
}

const asked = (rows: Awaited<ReturnType<typeof ledgerOf>>) =>
  rows.map(({ payload }) => (payload!.request.messages[0] as { content: string }).content);

it.each(LENGTHS)('many %s calls that end at once are recorded with fewer commits than calls', async (_, length) => {
  const tenant = await makeTenant(service);
  const { contents, outcomes } = await askMany(tenant, length);
  expect(new Set(outcomes)).toEqual(new Set(['200']));

  const rows = await ledgerOf(tenant);
  expect(asked(rows).sort()).toEqual(contents.toSorted());
  expect(new Set(rows.map(({ traceId }) => traceId)).size).toBe(CALLS);
  const [{ commits } = { commits: CALLS }] = await service.database.rows<{ commits: number }>(
    'select count(distinct xmin::text)::int as commits from observation where project_id = $1',
    [tenant.projectId],
  );
  expect(commits).toBeLessThan(CALLS);
});

it.each(LENGTHS)('the other %s calls of a batch are recorded if one cannot be', async (_, length) => {
  const tenant = await makeTenant(service);
  await service.database.rows(`
    create function refuse_one() returns trigger language plpgsql as $$
    begin
      if new.input like '%number 7.%' then raise exception 'on purpose'; end if;
      return new;
    end $$`);
  await service.database.rows(
    'create trigger refuse_one before insert on observation for each row execute function refuse_one()',
  );
  const { contents, outcomes } = await askMany(tenant, length).finally(() =>
    service.database.rows('drop function refuse_one cascade'),
  );
  expect(outcomes.map((outcome) => outcome === '200')).toEqual(contents.map((__, at) => at !== 7));
  expect(asked(await ledgerOf(tenant)).sort()).toEqual(contents.toSpliced(7, 1).sort());
});
