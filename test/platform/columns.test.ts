import { Summary } from '../../src/modules/agent-assist/summary.entity.js';
import { DockJob } from '../../src/modules/dock/dock-job.entity.js';
import { File } from '../../src/modules/files/file.entity.js';
import { Observation } from '../../src/modules/traces/observation.entity.js';
import { Attempt } from '../../src/modules/webhooks/deliveries/attempt.entity.js';
import { Delivery } from '../../src/modules/webhooks/deliveries/delivery.entity.js';
import {
  columnsOf,
  newJsonRows,
  newRow,
  newRows,
  type RowOf,
  selectedRow,
  someColumnsOf,
} from '../../src/platform/database/columns.js';
import { raw, sql } from '../../src/platform/database/sql.js';

const textOf = (query: { toQuery(): { text: string } }) => query.toQuery().text;

it('reads the columns of an entity under the names of its members', () => {
  const text = textOf(sql`select ${columnsOf(DockJob)} from dock_job`);
  expect(text).toMatch(/^select id as "id", project_id as "projectId", target_id as "targetId", scope_id as "scopeId"/);
  expect(textOf(columnsOf(DockJob, 'd'))).toMatch(/^d\.id as "id", d\.project_id as "projectId"/);
});

it('reads only the columns that are named', () => {
  expect(textOf(someColumnsOf(DockJob, ['id', 'projectId']))).toBe('id as "id", project_id as "projectId"');
});

it('reads numbers that the driver returns as text', () => {
  expect(textOf(columnsOf(File))).toContain('size::float8 as "size"');
});

it('reads lazy columns only if they are named', () => {
  expect(textOf(columnsOf(Delivery))).not.toContain('body');
  expect(textOf(someColumnsOf(Delivery, ['attemptCount', 'body'], 'd'))).toBe(
    'd.body as "body", d.attempts as "attemptCount"',
  );
  expect(textOf(sql`${newRow(Delivery, { body: '{}' })}`)).toBe('(body) values ($1)');
});

it('writes only the columns for which a row has values', () => {
  const row: Partial<RowOf<DockJob, 'isOver'>> = { id: 'ds-1', projectId: 'p-1', attempts: 2 };
  const { text, values } = sql`insert into dock_job ${newRow(DockJob, row)}`.toQuery();
  expect(text).toBe('insert into dock_job (id, project_id, attempts) values ($1, $2, $3)');
  expect(values).toEqual(['ds-1', 'p-1', 2]);
});

it('writes JSON as text, and SQL unchanged', () => {
  const { text, values } = newRow(DockJob, { data: ['x'], createdAt: sql`now()` }).toQuery();
  expect(text).toBe('(data, created_at) values ($1, now())');
  expect(values).toEqual(['["x"]']);
});

it('writes a row with values that come from the statement itself', () => {
  const values = { deliveryId: raw('id'), number: raw('attempts'), status: 200 };
  const { text } = sql`insert into webhook_attempt ${selectedRow(Attempt, values)} from tried`.toQuery();
  expect(text).toBe('insert into webhook_attempt (delivery_id, number, status) select id, attempts, $1 from tried');
});

it('writes many rows as one array for each column', () => {
  const { text, values } = sql`insert into dock_job ${newRows(DockJob, [
    { id: 'ds-1', attempts: 2 },
    { id: 'ds-2', attempts: 3 },
  ])}`.toQuery();
  expect(text).toBe(
    'insert into dock_job (id, attempts) select id, attempts from unnest($1::text[], $2::integer[]) as given (id, attempts)',
  );
  expect(values).toEqual([
    ['ds-1', 'ds-2'],
    [2, 3],
  ]);
});

it('writes rows as JSON in a statement whose text does not depend on their number', () => {
  const asked = { seq: 1, language: 'en', locale: 'en-GB', type: 'post', status: 'pending' as const };
  const summary = { ...asked, botId: 'st-1', conversationId: 'c', madeBy: null, text: null, madeAt: null } as const;
  const { text, values } = newJsonRows(Summary, [{ ...summary, askedAt: new Date(0) }]).toQuery();
  expect(text).toMatch(
    /^\(bot_id, .*\) select "botId", .* from json_to_recordset\(\$1::json\) as given \("botId" text, /,
  );
  expect(values).toEqual([expect.stringContaining('"askedAt":"1970-01-01T00:00:00.000Z"')]);
  expect(newJsonRows(Summary, []).toQuery()).toEqual({ text, values: ['[]'] });
});

it('reads a relation of several columns by the last one, and the others as relations of their own', () => {
  const text = textOf(columnsOf(Observation));
  expect(text).toMatch(/^trace_id as "traceId", project_id as "projectId", id as "id"/);
});
