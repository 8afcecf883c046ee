import { administratorOf } from '../support/actors.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { Receiver, verify } from '../support/receiver.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { read } from '../ledger/calls.js';
import { accepted, openChannel } from '../webhooks/channel.js';

export const LIMITS = { lock_timeout: 2_000, statement_timeout: 10_000, idle_in_transaction_session_timeout: 15_000 };
const MESSAGES = 40;

export interface Pooler {
  url: string;
  stop(): Promise<void>;
}

export async function giveRoleItsLimits(database: TestDatabase): Promise<void> {
  const [{ name }] = (await database.rows<{ name: string }>('select current_database() as name')) as [{ name: string }];
  for (const [limit, ms] of Object.entries(LIMITS)) {
    await database.rows(`alter role current_user in database "${name}" set ${limit} = ${ms}`);
  }
  // The pooler's connections of before do not have the limits.
  await database.rows(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and usename = current_user and pid <> pg_backend_pid()`,
  );
}

/** Declares the tests of a service whose `DATABASE_URL` is that of a pooler of transactions. */
export function testBehindPooler(startPooler: (databaseUrl: string) => Promise<Pooler>): void {
  let direct: string;
  let pooler: Pooler;
  let database: TestDatabase;
  let settings: ReturnType<typeof settingsFor>;

  beforeAll(async () => {
    direct = await createDatabase();
    pooler = await startPooler(direct);
    database = new TestDatabase(direct);
    settings = { ...settingsFor(pooler.url), DATABASE_DIRECT_URL: direct, SLIPWAY_ROLE: 'all' };
  });
  afterAll(async () => {
    await database.end();
    await pooler.stop();
  });

  it('does not start while the role lacks the time limits, and names the commands', async () => {
    const failure = await startProcess(settings).catch((error: Error) => error.message);
    expect(failure).toContain('ALTER ROLE');
    for (const [limit, ms] of Object.entries(LIMITS)) expect(failure).toContain(`SET ${limit} = ${ms};`);
  });

  it('answers messages of many clients, writes the ledger, and ends the requests of a revoked key', async () => {
    await giveRoleItsLimits(database);
    const service = await startProcess(settings);
    const receiver = await Receiver.start();
    try {
      const channel = await openChannel(service, { callbackUrl: receiver.url('pooled'), events: ['agent.response'] });
      const { appId, keyId, api } = channel.tenant;
      const messages = await Promise.all(Array.from({ length: MESSAGES }, () => accepted(channel)));
      const ids = messages.map(({ message_id: id }) => id).sort();
      const idsOfCallbacks = () => receiver.at('pooled').map(({ messageId }) => messageId);
      await eventually(idsOfCallbacks, (answered) => answered.length === MESSAGES);
      expect(idsOfCallbacks().sort()).toEqual(ids);
      for (const callback of receiver.at('pooled')) verify(callback, channel.subscription.secret);
      expect((await read(channel.tenant)).body.total).toBe(MESSAGES);

      const keys = `/api/admin/v1/apps/${appId}/apikeys`;
      expect((await administratorOf(service).delete(`${keys}/${keyId}`)).outcome).toBe('200');
      expect((await api.get('/api/public/me')).outcome).toBe('401 API_KEY_INVALID');
    } finally {
      await service.stop();
      await receiver.stop();
    }
  });
}
