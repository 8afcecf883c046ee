import { MikroORM } from '@mikro-orm/postgresql';
import { auditDeclarationOf } from '../../src/platform/audit/audited.js';
import { retentionRules } from '../../src/platform/retention/retention-rule.js';
import { startService } from '../support/service.js';

const service = await startService();
afterAll(() => service.stop());

const swept = retentionRules().flatMap(({ sweep }) => sweep.tables);

/** The tables that grow only with the configuration: those that are audited, and a few others. */
const CONFIGURATION = [
  ...[...service.app.get(MikroORM).getMetadata().getAll().values()]
    .filter(({ class: entity }) => auditDeclarationOf(entity))
    .map(({ tableName }) => tableName)
    .filter((name) => !swept.includes(name)),
  'api_key_use',
  // Users delete their files themselves. The job storage.sweep deletes objects that belong to no file.
  'file_part',
  'migration',
  'project_retention',
  'project_storage',
  'session_counting',
  'storage_place',
  'unkept_object',
];

async function without(): Promise<string[]> {
  return (await service.database.tables()).filter((name) => !CONFIGURATION.includes(name) && !swept.includes(name));
}

it('has a rule for every table that grows', async () => {
  expect(await without()).toEqual([]);
});

it('names a table without a rule', async () => {
  await service.database.rows('create table forgotten (at timestamptz)');
  expect(await without()).toContain('forgotten');
  await service.database.rows('drop table forgotten');
});

it('has no table twice, and none that does not exist', async () => {
  expect(await service.database.tables()).toEqual(expect.arrayContaining([...CONFIGURATION, ...swept]));
  expect(new Set([...CONFIGURATION, ...swept]).size).toBe(CONFIGURATION.length + swept.length);
});

it.each(retentionRules().map((rule) => [rule.name, rule] as const))('says what %s is', (name, rule) => {
  expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
  expect(rule.holds).toMatch(/^[A-Z][\w -]{3,}$/);
});

it.each(retentionRules().flatMap(({ name, keep, perProject }) => (perProject ? [{ name, keep, perProject }] : [])))(
  'has the default of $name within its bounds',
  ({ keep, perProject: { minDays, maxDays } }) => {
    const days = 'days' in keep ? keep.days : 0;
    expect(days).toBeGreaterThanOrEqual(minDays);
    expect(days).toBeLessThanOrEqual(maxDays);
  },
);
