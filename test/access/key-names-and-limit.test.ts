import { makeKeyWith, makeTenant, type Tenant } from '../support/actors.js';
import type { Refused } from '../support/client.js';
import { startService } from '../support/service.js';
import { createPath, keyPath } from './paths.js';
import type { NewKeyBody } from './views.js';

const service = await startService();
afterAll(() => service.stop());

function create({ api, appId, scopeName }: Tenant, name: string, scope_name = scopeName) {
  return api.post<NewKeyBody & Refused>(createPath(appId), { scope_name, api_key_name: name });
}

async function keysOf({ scopeId }: Tenant): Promise<string[]> {
  const rows = await service.database.rows<{ name: string }>('select name from api_key where scope_id = $1', [scopeId]);
  return rows.map(({ name }) => name);
}

function tally(answers: { outcome: string }[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(answers, ({ outcome }) => outcome)].map(([outcome, all]) => [outcome, all.length]),
  );
}

const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));

describe('the name of a key', () => {
  it('is unique in a scope without regard to case', async () => {
    const tenant = await makeTenant(service);
    expect((await create(tenant, 'Größe')).outcome).toBe('201');
    for (const same of ['Größe', 'größe', 'GRÖßE', ' Größe ']) {
      expect((await create(tenant, same)).outcome).toBe('409 DUPLICATE_API_KEY_NAME');
    }
  });

  it('may be used once in every scope', async () => {
    const tenant = await makeTenant(service);
    const other = await makeKeyWith(service, tenant, ['RUN_API']);
    expect((await create(tenant, 'server')).outcome).toBe('201');
    expect((await create(tenant, 'server', other.scopeName)).outcome).toBe('201');
  });

  it('can be used again after its key is revoked', async () => {
    const tenant = await makeTenant(service);
    const { key_id } = (await create(tenant, 'server')).body.api_key;
    await tenant.api.delete(keyPath(tenant.appId, key_id));
    expect((await create(tenant, 'server')).outcome).toBe('201');
  });

  it('goes to one of ten simultaneous requests', async () => {
    const tenant = await makeTenant(service);
    const answers = await times(10, (index) => create(tenant, index % 2 ? 'SERVER' : 'server'));
    expect(tally(answers)).toEqual({ '201': 1, '409 DUPLICATE_API_KEY_NAME': 9 });
    expect(await keysOf(tenant)).toHaveLength(2);
  });
});

describe('the number of keys', () => {
  it('is limited to twenty in a scope, and the refusal says so', async () => {
    const tenant = await makeTenant(service);
    for (let count = 2; count <= 20; count += 1) expect((await create(tenant, `server ${count}`)).outcome).toBe('201');
    const refused = await create(tenant, 'one more');
    expect(refused.outcome).toBe('429 API_KEY_LIMIT_REACHED');
    expect(refused.body.error.message).toContain('20');
    expect(await keysOf(tenant)).toHaveLength(20);
  });

  it('stays within the limit however many requests come at the same time', async () => {
    const tenant = await makeTenant(service);
    const answers = await times(30, (index) => create(tenant, `server ${index}`));
    expect(tally(answers)).toEqual({ '201': 19, '429 API_KEY_LIMIT_REACHED': 11 });
    expect(await keysOf(tenant)).toHaveLength(20);
  });

  it('is checked before the name', async () => {
    const tenant = await makeTenant(service);
    await times(19, (index) => create(tenant, `server ${index}`));
    expect((await create(tenant, 'server 1')).outcome).toBe('429 API_KEY_LIMIT_REACHED');
  });

  it('goes down when a key is revoked', async () => {
    const tenant = await makeTenant(service);
    const [first] = await times(19, (index) => create(tenant, `server ${index}`));
    await tenant.api.delete(keyPath(tenant.appId, first!.body.api_key.key_id));
    expect((await create(tenant, 'another')).outcome).toBe('201');
    expect((await create(tenant, 'one more')).outcome).toBe('429 API_KEY_LIMIT_REACHED');
  });

  it('is counted for each scope alone', async () => {
    const tenant = await makeTenant(service);
    const other = await makeKeyWith(service, tenant, ['RUN_API']);
    await times(19, (index) => create(tenant, `server ${index}`));
    expect((await create(tenant, 'elsewhere', other.scopeName)).outcome).toBe('201');
  });
});
