import { newId } from '../../src/kernel/ids.js';
import { startProvider } from '../agents/identity-provider.js';
import { makeTenant } from '../support/actors.js';
import { browserOf } from '../support/console.js';
import { startService } from '../support/service.js';
import { CALLBACK, oidcSettings, personInConsole } from './oidc.js';

const GROUPS: Record<string, string[]> = {
  olga: ['shop'],
  lena: ['shop', 'leads'],
  vera: ['shop', 'everyone'],
};
const SHOP = newId('project');
const idp = await startProvider({ redirectPath: CALLBACK, claimsOf: (login) => ({ groups: GROUPS[login] }) });
const service = await startService({
  ...oidcSettings(idp.issuer),
  CONSOLE_OIDC_ROLES: `leads=owner@${SHOP},shop=operator@${SHOP},everyone=viewer`,
});
const { url } = service;
const other = await makeTenant(service);
await service.database.rows('insert into project (id, name, created_at) values ($1, $2, now())', [SHOP, 'Shop']);
afterAll(async () => {
  await service.stop();
  idp.stop();
});

const ADMIN = '/api/admin/v1';
const APPS = `${ADMIN}/projects/${SHOP}/apps`;
const APPS_OF_OTHER = `${ADMIN}/projects/${other.projectId}/apps`;

it('gives a person the strongest role of the groups in each project', async () => {
  const roleIn = (role: string) => [{ projectId: SHOP, role }];
  expect(await personInConsole(url, 'olga')).toMatchObject({ role: null, projectRoles: roleIn('operator') });
  expect(await personInConsole(url, 'lena')).toMatchObject({ role: null, projectRoles: roleIn('owner') });
  expect(await personInConsole(url, 'vera')).toMatchObject({ role: 'viewer', projectRoles: roleIn('operator') });
});

it('lets a person with a role in one project work there, and see nothing else', async () => {
  const olga = browserOf(url, await personInConsole(url, 'olga'));
  expect((await olga.post(APPS, { name: 'Web chat' })).outcome).toBe('201');
  expect((await olga.get(APPS_OF_OTHER)).outcome).toBe('404 PROJECT_NOT_FOUND');
  expect((await olga.get(`${ADMIN}/apps/${other.appId}`)).outcome).toBe('404 APP_NOT_FOUND');
  expect((await olga.get(`${ADMIN}/processes`)).outcome).toBe('403 PERMISSION_DENIED');
});

it('lets a viewer of all projects with a stronger role in one change that one alone', async () => {
  const vera = browserOf(url, await personInConsole(url, 'vera'));
  expect((await vera.post(APPS, { name: 'Phone' })).outcome).toBe('201');
  expect((await vera.get(APPS_OF_OTHER)).outcome).toBe('200');
  expect((await vera.get(`${ADMIN}/processes`)).outcome).toBe('200');
  expect((await vera.post(APPS_OF_OTHER, { name: 'Phone' })).outcome).toBe('403 PERMISSION_DENIED');
  expect((await vera.patch(`${ADMIN}/apps/${other.appId}`, { name: 'Mine' })).outcome).toBe('403 PERMISSION_DENIED');
  const { body } = await vera.get<{ data: object[] }>(`${ADMIN}/projects`);
  expect(body.data).toHaveLength(2);
});

it('has a person act in the apps of a project with the role there', async () => {
  const identity = { sessionIdentity: [{ type: 'userReference', value: 'ada' }] };
  const signedIn = await personInConsole(url, 'vera');
  const { body } = await browserOf(url, signedIn).post<{ data: { appId: string } }>(APPS, { name: 'Kiosk' });
  const outcomeIn = async (appId: string) => {
    const path = `/api/v2/apps/${appId}/environments/production/sessions`;
    return (await browserOf(url, signedIn, appId).post(path, identity)).outcome;
  };
  expect(await outcomeIn(body.data.appId)).toBe('201');
  expect(await outcomeIn(other.appId)).toBe('403 PERMISSION_DENIED');
});
