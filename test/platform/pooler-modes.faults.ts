import { administratorOf } from '../support/actors.js';
import { createDatabase } from '../support/database.js';
import { startPgBouncer } from '../support/pgbouncer.js';
import { startProcess } from '../support/process.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { giveRoleItsLimits, LIMITS } from './behind-pooler.js';

const CONNECTIONS = 12;
const IGNORED = `ignore_startup_parameters = ${Object.keys(LIMITS).join(',')}`;

const direct = await createDatabase();
const database = new TestDatabase(direct);
const poolers = {
  transaction: await startPgBouncer(direct, CONNECTIONS),
  lenient: await startPgBouncer(direct, CONNECTIONS, 'transaction', IGNORED),
  session: await startPgBouncer(direct, CONNECTIONS, 'session'),
  statement: await startPgBouncer(direct, CONNECTIONS, 'statement'),
};

afterAll(async () => {
  await database.end();
  await Promise.all(Object.values(poolers).map((pooler) => pooler.stop()));
});

type Address = 'direct' | keyof typeof poolers;

const urlOf = (address: Address) => (address === 'direct' ? direct : poolers[address].url);

function settingsWith(address: Address, directAddress?: Address): SettingsOfTest {
  const settings = { ...settingsFor(urlOf(address)), SLIPWAY_ROLE: 'all' };
  return directAddress === undefined ? settings : { ...settings, DATABASE_DIRECT_URL: urlOf(directAddress) };
}

async function failureOf(settings: SettingsOfTest): Promise<string> {
  return startProcess(settings).then(
    async (service) => `It started, and ended with ${JSON.stringify(await service.stop())}`,
    (error: Error) => error.message,
  );
}

it.each<[pooler: Address, directAddress: Address | undefined, sentence: string]>([
  ['transaction', undefined, 'DATABASE_URL leads to a pooler of transactions, so DATABASE_DIRECT_URL is needed too.'],
  ['lenient', undefined, 'DATABASE_URL leads to a pooler of transactions, so DATABASE_DIRECT_URL is needed too.'],
  ['session', undefined, 'DATABASE_URL leads to a pooler of sessions, so DATABASE_DIRECT_URL is needed too.'],
  ['statement', undefined, 'DATABASE_URL leads to a pooler of statements'],
  ['statement', 'direct', 'DATABASE_URL leads to a pooler of statements'],
  ['transaction', 'transaction', 'DATABASE_DIRECT_URL leads to a pooler of transactions'],
  ['direct', 'statement', 'DATABASE_DIRECT_URL leads to a pooler of statements'],
])('ends the start with a sentence if DATABASE_URL is %s and DATABASE_DIRECT_URL is %s', async (...addresses) => {
  const [address, directAddress, sentence] = addresses;
  const failure = await failureOf(settingsWith(address, directAddress));
  expect(failure).toContain(sentence);
  expect(failure).not.toContain('    at ');
});

const READS_NEED = 'so DATABASE_DIRECT_URL is needed too. Set it to the address of the primary itself.';

it.each<[pooler: Address, sentence: string]>([
  ['transaction', `DATABASE_READ_URL leads to a pooler of transactions, ${READS_NEED}`],
  ['lenient', `DATABASE_READ_URL leads to a pooler of transactions, ${READS_NEED}`],
  ['session', `DATABASE_READ_URL leads to a pooler of sessions, ${READS_NEED}`],
  ['statement', 'DATABASE_READ_URL leads to a pooler of statements'],
])('ends the start with a sentence if DATABASE_READ_URL alone is %s', async (address, sentence) => {
  const failure = await failureOf({ ...settingsWith('direct'), DATABASE_READ_URL: urlOf(address) });
  expect(failure).toContain(sentence);
  expect(failure).not.toContain('    at ');
});

it('ends the start with a sentence if reads go through a pooler of statements', async () => {
  await giveRoleItsLimits(database);
  const settings = { ...settingsWith('transaction', 'direct'), DATABASE_READ_URL: urlOf('statement') };
  expect(await failureOf(settings)).toContain('DATABASE_READ_URL leads to a pooler of statements');
});

it('serves through a pooler of sessions that is named in both settings', async () => {
  await giveRoleItsLimits(database);
  const service = await startProcess(settingsWith('session', 'session'));
  try {
    const answer = await administratorOf(service).post('/api/admin/v1/projects', { name: 'Pooled' });
    expect(answer.outcome).toBe('201');
  } finally {
    await service.stop();
  }
});
