import { makeTenant, type Tenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { ask } from './calls.js';

const service = await startService();
afterAll(() => service.stop());

const CALLS = 40;
const NUMBERS = Array.from({ length: CALLS }, (_, at) => at);

/** Calls of this length are too long for one statement, so those that are recorded together are written in parts. */
const LENGTHS: [string, number][] = [
  ['short', 0],
  ['long', 60_000],
];

/** Makes many calls at once, each with its number in the prompt. */
async function askMany(tenant: Tenant, length: number) {
  const contents = NUMBERS.map((number) => `This is number ${number}.${'x'.repeat(length)}`);
  const answers = await Promise.all(
    contents.map((content) => ask(tenant, 'mock', { messages: [{ role: 'user', content }] })),
  );
  return answers.map(({ outcome }) => outcome);
}

/** Returns the numbers of the calls that are in the ledger with their prompts. A page of long ones would end too early. */
async function recorded({ projectId }: Tenant): Promise<number[]> {
  const rows = await service.database.rows<{ number: string }>(
    `select substring(payload from 'number (\\d+)') as number from ledger_payload where project_id = $1`,
    [projectId],
  );
  return rows.map(({ number }) => Number(number)).sort((one, other) => one - other);
}

it.each(LENGTHS)('many %s calls that end at once are recorded with fewer commits than calls', async (_, length) => {
  const tenant = await makeTenant(service);
  const outcomes = await askMany(tenant, length);
  expect(new Set(outcomes)).toEqual(new Set(['200']));

  expect(await recorded(tenant)).toEqual(NUMBERS);
  const [found] = await service.database.rows(
    `select count(distinct trace_id)::int as traces, count(distinct xmin::text)::int < $2 as "isGrouped"
     from observation where project_id = $1`,
    [tenant.projectId, CALLS],
  );
  expect(found).toEqual({ traces: CALLS, isGrouped: true });
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
  const outcomes = await askMany(tenant, length).finally(() =>
    service.database.rows('drop function refuse_one cascade'),
  );
  expect(outcomes.map((outcome) => outcome === '200')).toEqual(NUMBERS.map((number) => number !== 7));
  expect(await recorded(tenant)).toEqual(NUMBERS.toSpliced(7, 1));
});
