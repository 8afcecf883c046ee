import { type EntityMetadata, MikroORM, ReferenceKind } from '@mikro-orm/postgresql';
import { auditDeclarationOf, reasonNotAudited } from '../../src/platform/audit/audited.js';
import { isSealedName } from '../../src/platform/crypto/sealed-column.js';
import type { IndexedRoute } from '../../src/platform/route/route-index.js';
import { unknownOf } from '../support/odd-ids.js';
import { parametersOf, RouteSuite } from '../support/route-suite.js';
import { startService } from '../support/service.js';

const service = await startService();
const suite = await RouteSuite.of(service);
afterAll(() => service.stop());

const entities = [...service.app.get(MikroORM).getMetadata().getAll().values()].map(
  (meta): [string, EntityMetadata] => [meta.className, meta],
);
const audited = entities.filter(([, meta]) => auditDeclarationOf(meta.class));

/**
 * The names of members whose values must not be in the audit. `maxTokens` is not one of them, because it is a number.
 */
const SECRET_NAME = /digest|secret|token(?!s$)|password|credential/i;

it('finds the entities', () => {
  expect(entities.map(([name]) => name)).toContain('ApiKey');
});

describe.each(entities)('%s', (_, { class: entity }) => {
  it('is audited, or says why not', () => {
    const [declaration, reason] = [auditDeclarationOf(entity), reasonNotAudited(entity)];
    expect([declaration, reason].filter((said) => said !== undefined)).toHaveLength(1);
    if (reason !== undefined) expect(reason).toMatch(/^[A-Z].{10,}$/);
  });
});

describe.each(audited)('%s, which is audited,', (_, meta) => {
  const { kind, project, target, secrets = [], names: given = {}, unaudited = [] } = auditDeclarationOf(meta.class)!;
  const members = Object.values(meta.properties);

  it('leads to its project', () => {
    if (project === 'none') return;
    let owner = meta;
    for (const relation of project === 'self' ? [] : project.split('.')) {
      owner = owner.properties[relation as never]!.targetMeta!;
    }
    expect(owner.tableName).toBe('project');
  });

  it('names members that it has, and all that look like secrets', () => {
    const names = members.map(({ name }) => name);
    const said = [...secrets, ...Object.keys(given), ...unaudited, ...(target === undefined ? [] : [target])];
    for (const name of said) expect(names).toContain(name);
    const looks = members.filter(({ name, fieldNames = [] }) => {
      return SECRET_NAME.test(name) || fieldNames.some(isSealedName);
    });
    expect(secrets).toEqual(expect.arrayContaining(looks.map(({ name }) => name)));
  });

  it('has a kind of its own, and no members whose changes the audit would miss', () => {
    expect(audited.filter(([, other]) => auditDeclarationOf(other.class)!.kind === kind)).toHaveLength(1);
    expect(members.filter((member) => member.kind === ReferenceKind.MANY_TO_MANY)).toEqual([]);
  });
});

/** Counts the audit entries of a request. */
async function countEntries(requestId: string, operation: string): Promise<number> {
  const sql = 'select from audit_entry where request_id = $1 and operation = $2';
  return (await service.database.rows(sql, [requestId, operation])).length;
}

/** Routes that run something configure nothing, and have no audit entry. A current upload has changed nothing yet. */
const isData = ({ path }: IndexedRoute) =>
  /\/(llm-ledger(\/export-links)?|mcp|chat\/completions|test|otel\/v1\/traces|session\/start|session\/\{sessionId\}|tus(\/\{sessionId\})?|sessions(\/list|\/terminate)?|attachments|runs|execute|runs\/\{runId\}\/cancel|callbacks\/\{callbackId\}|http-async\/message|hooks\/\{botId\}|idp\/\{state\})$/.test(
    path,
  );

describe.each(suite.where((route) => route.verb !== 'GET' && !isData(route)))('%s', (name, route) => {
  it('leaves in the audit what it changed, and nothing when it is refused', async () => {
    const tenant = await suite.tenant();
    const request = await suite.sample(route, tenant);
    const [last] = parametersOf(route).slice(-1);
    if (last !== undefined) {
      const params = { ...request.params, [last]: unknownOf(request.params![last]!) };
      const refused = await suite.send(suite.callerOf(route, tenant), route, { ...request, params });
      expect(refused.status).toBe(404);
      expect(await countEntries(refused.headers.get('x-request-id')!, name)).toBe(0);
    }
    const done = await suite.send(suite.callerOf(route, tenant), route, request);
    expect(done.status).toBe(route.status);
    expect(await countEntries(done.headers.get('x-request-id')!, name)).toBeGreaterThan(0);
  });
});
