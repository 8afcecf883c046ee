import { KeyChanges } from '../../src/platform/auth/key-changes.js';
import { administratorOf, makeKey, makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { startService } from '../support/service.js';
import { adminAppPath, ME } from './paths.js';

const service = await startService();
const changes = service.app.get(KeyChanges);
afterAll(() => service.stop());

it('nothing changes if processes may know the key again before the commit', async () => {
  const { appId, scopeName } = await makeTenant(service);
  const { key, keyId } = await makeKey(service, appId, scopeName);
  const rename = () =>
    administratorOf(service).patch(`${adminAppPath(appId)}/apikeys/${keyId}`, { apiKeyName: 'renamed' });
  const name = async () => (await Client.withKey(service, key).get<{ key_name: string }>(ME)).body.key_name;
  const before = await name();
  const { takesMs } = changes;
  changes.takesMs = 0;
  expect((await rename()).outcome).toBe('503 KEY_CHANGE_PENDING');
  expect(await name()).toBe(before);
  changes.takesMs = takesMs;
  expect((await rename()).outcome).toBe('200');
  expect(await name()).toBe('renamed');
});
