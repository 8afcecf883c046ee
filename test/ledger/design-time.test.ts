import { randomUUID } from 'node:crypto';
import { CallRepository } from '../../src/modules/ledger/call.repository.js';
import { GivenCall } from '../../src/modules/ledger/call.schema.js';
import { Tidying } from '../../src/modules/ledger/rollup/tidying.service.js';
import { DesignTime } from '../../src/modules/ledger/write/design-time.service.js';
import { Partitions } from '../../src/modules/ledger/write/partitions.js';
import { type StoredCall, toStoredCalls } from '../../src/modules/ledger/write/stored-call.js';
import { Statements } from '../../src/platform/database/statements.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { aCall, at, EVER, found, ledgerPath, read, written } from './calls.js';
import { startRepricing } from './prices.js';

const service = await startService();
const statements = service.app.get(Statements);
const designTime = service.app.get(DesignTime);
const calls = service.app.get(CallRepository);
const partitions = service.app.get(Partitions);
const tidying = service.app.get(Tidying);
afterAll(() => service.stop());

const JOB = `name = 'ledger.put-design-time-right'`;
/** Waits for the job's first run at the start of the service, which would otherwise interfere with these tests. */
beforeAll(() =>
  eventually(
    () => service.database.rows(`select from job where ${JOB} and state = 'queued' and run_at > now()`),
    ({ length }) => length === 1,
  ),
);

const CONVERSATION = { channel: 'voice', channelType: 'voice_vxml', environment: 'staging' };
/** The filters that find calls of a conversation. */
const FILTERS: Record<string, string>[] = Object.entries(CONVERSATION).map(([name, value]) => ({ [name]: value }));

async function expectOfNoConversation(tenant: Tenant, callIds: string[]): Promise<void> {
  const { generations } = (await read(tenant, { limit: '10000' })).body;
  const shown = generations.filter(({ callId }) => callIds.includes(callId));
  expect(shown).toHaveLength(callIds.length);
  for (const call of shown) {
    expect(call.environment).toBe('');
    expect(call).not.toHaveProperty('channel');
    expect(call).not.toHaveProperty('channelType');
  }
  for (const filter of FILTERS) {
    const others = await found(tenant, filter);
    expect(others.filter((callId) => callIds.includes(callId))).toEqual([]);
  }
}

const OF_DESIGN_TIME = [
  ...['arch', 'ARCH', 'evals', 'eval', 'studio_test_calls', 'Studio Test-Calls'],
  ...['prompt_library', 'model_health', 'model_admin', 'health:credential-store'],
];
const OF_CONVERSATIONS = [
  ...['runtime', 'agent_session', 'runtime_internal', 'pipelines', 'guardrails', 'knowledge', 'search_ai'],
  ...['channels', 'unheard of'],
];

describe('a call written with a channel and an environment', () => {
  it.each(OF_DESIGN_TIME)('of the source %s has neither and is found by neither', async (source) => {
    const tenant = await makeTenant(service);
    const call = aCall({ source, ...CONVERSATION });
    await written(tenant, call);
    await expectOfNoConversation(tenant, [call.callId]);
    expect(await found(tenant, { source })).toEqual([call.callId]);
  });

  it.each(OF_CONVERSATIONS)('of the source %s has both and is found by both', async (source) => {
    const tenant = await makeTenant(service);
    const call = aCall({ source, ...CONVERSATION });
    await written(tenant, call);
    expect((await read(tenant)).body.generations).toMatchObject([CONVERSATION]);
    for (const filter of FILTERS) expect(await found(tenant, filter)).toEqual([call.callId]);
  });
});

describe('a call written without a channel and an environment', () => {
  it('has no channel if it has no source either', async () => {
    const tenant = await makeTenant(service);
    const call = aCall();
    await written(tenant, call);
    await expectOfNoConversation(tenant, [call.callId]);
  });

  it('has an empty channel if its source is one of conversations', async () => {
    const tenant = await makeTenant(service);
    await written(tenant, aCall({ source: 'runtime' }));
    expect((await read(tenant)).body.generations).toMatchObject([{ channel: '', channelType: '', environment: '' }]);
  });
});

/** Stores calls as processes of the earlier release did. */
async function storedBefore(given: ReturnType<typeof aCall>[], source: string): Promise<StoredCall[]> {
  const asNow = given.map((call) => GivenCall.parse({ ...call, source: 'knowledge' }));
  const stored = await toStoredCalls(asNow, () => ({ amount: 0.5, pricing: 't' }));
  const dim = randomUUID();
  return stored.map((call) => ({
    ...call,
    jsonAfterNumber: call.jsonAfterNumber.replace('"source":"knowledge"', `"source":"${source}"`),
    dim: { ...call.dim, source, sourceFolded: source, dim },
  }));
}

async function writtenBefore({ projectId }: Tenant, ...stored: StoredCall[]): Promise<string[]> {
  await partitions.ensure(stored.map(({ time }) => time));
  return statements.ask(calls.add(projectId, stored));
}

const correct = () => designTime.correct(new AbortController().signal, () => Promise.resolve());

type Groups = { key: string; calls: number; inputTokens: number; cost: number }[];

async function summary({ api, projectId }: Tenant, groupBy: string, filter = {}): Promise<Groups> {
  const query = { ...EVER, groupBy, ...filter };
  return (await api.get<{ groups: Groups }>(`${ledgerPath(projectId)}/summary`, { query })).body.groups;
}

const DAY_SECONDS = 86_400;
/** A text that looks like the members that are removed. */
const MISLEADING = 'a "channel":"voice","channelType":"x" \\';

/** Calls spread over two days, so that they lie in whole days, whole hours and parts of hours. */
function manyBefore(count: number, source: string): Promise<StoredCall[]> {
  const given = Array.from({ length: count }, (_, i) =>
    aCall({ timestamp: at((i * 2 * DAY_SECONDS) / count), inputTokens: 2, agentName: MISLEADING, ...CONVERSATION }),
  );
  return storedBefore(given, source);
}

describe('stored calls of design time', () => {
  it('are corrected, and so is the rollup', async () => {
    const tenant = await makeTenant(service);
    const before = [
      ...(await manyBefore(1_203, 'arch')),
      ...(await manyBefore(40, 'studio_test_calls')),
      ...(await manyBefore(3, 'model_health')),
    ];
    const callIds = await writtenBefore(tenant, ...before);
    const spoken = aCall({ source: 'runtime', ...CONVERSATION });
    await written(tenant, spoken, aCall({ source: 'arch' }));
    while ((await tidying.compact()) > 0);
    const all = await read(tenant, { limit: '10000' });
    expect(await found(tenant, { channel: 'voice', limit: '10000' })).toHaveLength(1_247);

    await correct();
    await expectOfNoConversation(tenant, callIds);
    const whole = { limit: '10000', sortBy: 'timestamp' };
    const afterwards = await read(tenant, whole);
    const withoutThem = (call: object) => ({ ...call, channel: 0, channelType: 0, environment: 0 });
    expect(afterwards.body.generations.map(withoutThem)).toEqual(all.body.generations.map(withoutThem));
    expect(afterwards.body.generations.at(0)).toMatchObject({ agentName: MISLEADING });
    for (const filter of FILTERS) {
      expect(await found(tenant, filter)).toEqual([spoken.callId]);
      expect(await summary(tenant, 'source', filter)).toMatchObject([{ key: 'runtime', calls: 1 }]);
    }
    expect(await summary(tenant, 'environment')).toMatchObject([
      { key: '', calls: 1_247, inputTokens: 2_492, cost: 623 },
      { key: 'staging', calls: 1 },
    ]);
    while ((await tidying.compact()) > 0);
    expect(await summary(tenant, 'environment')).toMatchObject([{ calls: 1_247 }, { calls: 1 }]);
    expect((await summary(tenant, 'day')).reduce((sum, day) => sum + day.calls, 0)).toBe(1_248);
  });

  it('are corrected by several processes while others delete and write, and totals are exact at every moment', async () => {
    const tenant = await makeTenant(service);
    await writtenBefore(tenant, ...(await manyBefore(2_500, 'arch')));
    let isOver = false;
    const readAlong = async () => {
      while (!isOver) {
        const { total, generations } = (await read(tenant, { limit: '10000', source: 'arch' })).body;
        expect(generations).toHaveLength(total);
      }
    };
    const reading = readAlong();
    const late = async () => {
      for (let batch = 0; batch < 5; batch += 1) await writtenBefore(tenant, ...(await manyBefore(20, 'arch')));
    };
    await Promise.all([correct(), correct(), correct(), late(), tidying.compact()]).finally(() => (isOver = true));
    await reading;
    await correct();
    expect((await read(tenant, { source: 'arch' })).body.total).toBe(2_600);
    expect(await found(tenant, { channel: 'voice' })).toEqual([]);
    expect(await summary(tenant, 'environment')).toMatchObject([{ key: '', calls: 2_600, cost: 1_300 }]);
  });

  it('are corrected by a job that runs periodically', async () => {
    const tenant = await makeTenant(service);
    await writtenBefore(tenant, ...(await manyBefore(30, 'evals')));
    await service.database.rows(`update job set run_at = now() where ${JOB}`);
    await eventually(
      () => found(tenant, { channel: 'voice' }),
      ({ length }) => length === 0,
    );
    const [job] = await service.database.rows(`select progress, every from job where ${JOB}`);
    expect(job).toMatchObject({ every: 600, progress: { calls: 30 } });
  });

  it('are not corrected while their project is being repriced', async () => {
    const tenant = await makeTenant(service);
    const callIds = await writtenBefore(tenant, ...(await manyBefore(3, 'arch')));
    const { repricingId } = await startRepricing(tenant);
    await correct();
    expect(await found(tenant, { channel: 'voice' })).toHaveLength(3);
    await service.database.rows(`update ledger_repricing set state = 'SUCCESS' where id = $1`, [repricingId]);
    await correct();
    await expectOfNoConversation(tenant, callIds);
  });
});
