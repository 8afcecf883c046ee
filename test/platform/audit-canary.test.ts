import { administratorOf, makeKey, makeTenant, revoke, yesTo } from '../support/actors.js';
import { makeAdminKey, revokeAdminKey } from '../support/admin-keys.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

const settings: SettingsOfTest = { ...settingsFor(await createDatabase()), LOG_LEVEL: 'trace' };
const service = await startProcess(settings);
const database = new TestDatabase(settings.DATABASE_URL!);
const admin = administratorOf(service);
afterAll(() => Promise.all([service.kill(), database.end()]));

const ADMIN = '/api/admin/v1';

/** Every secret that the service has seen, by a name for it. */
const secrets: Record<string, string> = {
  'the key of the settings': settings.SLIPWAY_ADMIN_KEY!,
  'the pepper': settings.SLIPWAY_PEPPER!,
  'a master key': settings.SLIPWAY_MASTER_KEYS!.split(':')[1]!,
};

/**
 * Only the middle of a secret is compared, because the beginning and the end of a key are shown so that people can
 * tell keys apart.
 */
const namesOfShown = (text: string) =>
  Object.entries(secrets)
    .filter(([, secret]) => text.includes(secret.slice(6, 26)))
    .map(([name]) => name);

it('finds secrets that are there', () => {
  expect(namesOfShown(`{"key": "${settings.SLIPWAY_PEPPER}"}`)).toEqual(['the pepper']);
});

it('writes no secret anywhere, whichever change of keys is made', async () => {
  const tenant = await makeTenant(service);
  const { appId, scopeId, scopeName } = tenant;
  const made = await makeKey(service, appId, scopeName);
  const own = await tenant.api.post<{ api_key: { apikey: string } }>(`/aaa/api/public/apps/${appId}/apikeys/create`, {
    scope_name: scopeName,
    api_key_name: 'made by a key',
  });
  const rotate = `${ADMIN}/apps/${appId}/apikeys/${made.keyId}/rotate`;
  const rotated = await admin.post<{ data: { apikey: string } }>(rotate, { graceSeconds: 60 });
  const named = await makeAdminKey(service);
  Object.assign(secrets, {
    'a key': tenant.key,
    'a rotated key': made.key,
    'its new value': rotated.body.data.apikey,
    'a key made by a key': /sw_\w+/.exec(own.text)![0],
    'a named administration key': named.adminKey,
  });
  for (const secret of Object.values(secrets)) {
    // These members may not have secrets. The requests are refused, and nothing of them is stored.
    await admin.post(`${ADMIN}/projects`, { name: 'x', [secret]: secret });
    await admin.post(`${ADMIN}/apps/${appId}/apikeys`, { scopeName, apiKeyName: 'x', apikey: secret });
    await admin.get(`${ADMIN}/audit`, { query: { actor: secret } });
    await Client.withKey(service, secret).post(`${ADMIN}/projects`, { name: 'x' });
  }
  await admin.patch(`${ADMIN}/apps/${appId}/scopes/${scopeId}`, { permissions: yesTo(['RUN_API']) });
  await admin.post(`${ADMIN}/master-keys/rewrap`);
  await revoke(service, appId, made.keyId);
  await revokeAdminKey(service, named.adminKeyId);
  await admin.delete(`${ADMIN}/apps/${appId}/scopes/${scopeId}`);

  const { headers } = await admin.get(`${ADMIN}/audit`);
  const log = await eventually(
    () => service.output(),
    (output) => output.includes(headers.get('x-request-id')!),
  );
  const audit = await database.rows<{ line: string }>('select t::text as line from audit_entry t');
  expect(audit.length).toBeGreaterThan(20);
  expect(namesOfShown(audit.map(({ line }) => line).join('\n'))).toEqual([]);
  expect(namesOfShown(log)).toEqual([]);
  expect(namesOfShown(await database.dump())).toEqual([]);
});
