import { makeActiveAgent, say } from '../agents/make.js';
import { read } from '../ledger/calls.js';
import { makeTenant, revoke, type Tenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { OwnPostgres } from '../support/own-postgres.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';

const postgres = await OwnPostgres.create();
afterAll(() => postgres.stop());

it('goes on from the moment before a mistake, with a base backup and the archived log', async () => {
  const archive = postgres.folder('archive');
  await postgres.makeCluster('original');
  const restore = `restore_command = 'cp ${archive}/%f %p'\nrecovery_target_action = 'promote'\n`;
  await postgres.copyCluster('original', 'restored', 'recovery', restore);
  const original = await postgres.start('original', [
    'archive_mode=on',
    `archive_command=test ! -f ${archive}/%f && cp %p ${archive}/%f`,
  ]);
  await postgres.makeDatabase(original);
  const settings = settingsFor(original.url);
  const before = await startProcess(settings);
  const tenant = await makeTenant(before);
  await makeActiveAgent(before, tenant);
  expect((await say(tenant, 'kept', 'Hello')).body.status).toBe('completed');

  const [{ now }] = (await original.ask('select now()::text as now')) as [{ now: string }];
  await revoke(before, tenant.appId, tenant.keyId);
  expect((await tenant.api.get('/api/public/me')).status).toBe(401);
  await before.stop();
  const [{ segment }] = (await original.ask('select pg_walfile_name(pg_switch_wal()) as segment')) as [
    { segment: string },
  ];
  await eventually(
    () => original.ask('select last_archived_wal as archived from pg_stat_archiver'),
    ([found]) => String(found!['archived']) >= segment,
  );

  const restored = await postgres.start('restored', [`recovery_target_time=${now}`]);
  await eventually(
    () => restored.ask('select pg_is_in_recovery() as "isInRecovery"'),
    ([found]) => found!['isInRecovery'] === false,
  );
  const after = await startProcess({ ...settings, DATABASE_URL: restored.url });
  try {
    const again: Tenant = { ...tenant, api: Client.withKey(after, tenant.key) };
    expect((await read(again)).body.total).toBe(1);
    expect((await say(again, 'kept', 'Are you still there?')).body.status).toBe('completed');
    expect((await read(again)).body.total).toBe(2);
  } finally {
    await after.stop();
  }
});
