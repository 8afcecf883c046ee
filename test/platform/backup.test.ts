import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open, upload } from '../files/files.js';
import { read } from '../ledger/calls.js';
import { makeKey, revoke } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase, createEmptyDatabase } from '../support/database.js';
import { commandsBelow, itWithDump, runCommands } from '../support/pg-dump.js';
import { startProcess } from '../support/process.js';
import { Receiver, verify } from '../support/receiver.js';
import { settingsFor } from '../support/settings.js';
import { accepted, type Channel, follow, openChannel, replyTo } from '../webhooks/channel.js';

const folder = mkdtempSync(join(tmpdir(), 'slipway-backup-'));
const receiver = await Receiver.start();
afterAll(async () => {
  await receiver.stop();
  rmSync(folder, { recursive: true, force: true });
});

itWithDump('goes on elsewhere from the backup of the documentation', async () => {
  const [backup, restore] = commandsBelow('## Backup and restore');
  const settings = settingsFor(await createDatabase());
  const original = await startProcess(settings);
  const channel = await openChannel(original, { callbackUrl: receiver.url('kept'), events: ['agent.response'] });
  const { tenant } = channel;
  const message = await accepted(channel, { session_key: 'kept' });
  await replyTo(receiver, message);
  const { fileId } = (await upload(tenant.api, { name: 'kept.txt', content: 'kept' })).body;
  const revoked = await makeKey(original, tenant.appId, tenant.scopeName);
  await revoke(original, tenant.appId, revoked.keyId);
  await original.stop();

  runCommands(backup!, folder, { DATABASE_URL: settings.DATABASE_URL!, DATA_DIR: settings.DATA_DIR! });
  const restored = { ...settings, DATABASE_URL: await createEmptyDatabase(), DATA_DIR: join(folder, 'data') };
  mkdirSync(restored.DATA_DIR);
  runCommands(restore!, folder, { NEW_DATABASE_URL: restored.DATABASE_URL, NEW_DATA_DIR: restored.DATA_DIR });
  // Nothing of the original is left that the restored service could use instead.
  rmSync(settings.DATA_DIR!, { recursive: true });

  const service = await startProcess(restored);
  try {
    const api = Client.withKey(service, tenant.key);
    const there: Channel = { ...channel, tenant: { ...tenant, api } };
    expect((await Client.withKey(service, revoked.key).get('/api/public/me')).status).toBe(401);
    expect((await read(there.tenant)).body.total).toBe(1);
    const { url } = (await api.get<{ url: string }>(`/api/public/files/${fileId}`)).body;
    expect((await open(url)).bytes.toString()).toBe('kept');
    const further = await accepted(there, { session_key: 'kept' });
    verify(await replyTo(receiver, further), channel.subscription.secret);
    expect((await read(there.tenant)).body.total).toBe(2);
    const sessionOf = async (id: string) => (await follow(there, id)).session_id;
    expect(await sessionOf(further.message_id)).toBe(await sessionOf(message.message_id));
  } finally {
    await service.stop();
  }
});
