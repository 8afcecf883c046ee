import { makeTenant, type Tenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { NAUGHTY_STRINGS } from '../support/naughty.js';
import { startService } from '../support/service.js';
import { aCall, found, read, written } from './calls.js';

const service = await startService();
afterAll(() => service.stop());

const FILTERS = [
  'channel',
  'source',
  'sourceSubtype',
  'status',
  'model',
  'provider',
  'environment',
  'name',
  'channelType',
];
const TEXT_FILTERS = FILTERS.filter((name) => name !== 'status');
const fieldOf = (filter: string) => (filter === 'name' ? 'agentName' : filter);

describe('a filter', () => {
  it.each(FILTERS)('%s finds exactly the calls that have the value', async (filter) => {
    const tenant = await makeTenant(service);
    const [value, other] = { status: ['failed', 'success'], environment: ['staging', 'production'] }[filter] ?? [
      'a',
      'b',
    ];
    const [mine, theirs] = [aCall({ [fieldOf(filter)]: value }), aCall({ [fieldOf(filter)]: other })];
    await written(tenant, mine, theirs);
    expect(await found(tenant, { [filter]: value! })).toEqual([mine.callId]);
    expect(await found(tenant, { [filter]: other! })).toEqual([theirs.callId]);
  });

  it.each(TEXT_FILTERS)('%s with a value that no call has finds nothing', async (filter) => {
    const tenant = await makeTenant(service);
    await written(tenant, aCall({ environment: 'production', channel: 'api' }));
    expect(await found(tenant, { [filter]: 'nothing has this' })).toEqual([]);
  });

  it.each(['channel', 'source', 'sourceSubtype', 'model', 'provider', 'environment'])(
    '%s is refused when it is empty',
    async (filter) => {
      expect((await read(await makeTenant(service), { [filter]: '' })).outcome).toBe('400 INVALID_FILTER');
    },
  );

  it.each(['name', 'channelType'])('%s is refused as a validation error if it is empty', async (filter) => {
    expect(await read(await makeTenant(service), { [filter]: '' })).toMatchObject(faultsAt(filter));
  });

  it.each(['', 'ok', 'Success', 'FAILED', 'success,failed'])('status is refused as %j', async (status) => {
    expect((await read(await makeTenant(service), { status })).outcome).toBe('400 INVALID_STATUS');
  });

  it('is named in the error with all other empty filters', async () => {
    const answer = await read(await makeTenant(service), { channel: '', model: '', source: 'x' });
    expect(answer).toMatchObject({ outcome: '400 INVALID_FILTER', body: { error: { message: /channel, model\./ } } });
  });

  it('combines with the others with AND', async () => {
    const tenant = await makeTenant(service);
    const wanted = aCall({ model: 'm', provider: 'p', status: 'failed' });
    await written(tenant, wanted, aCall({ model: 'm', provider: 'p' }), aCall({ model: 'm', status: 'failed' }));
    expect(await found(tenant, { model: 'm', provider: 'p', status: 'failed' })).toEqual([wanted.callId]);
  });

  it.each(TEXT_FILTERS.filter((name) => name !== 'environment'))('%s takes any text literally', async (filter) => {
    const tenant = await makeTenant(service);
    const calls = NAUGHTY_STRINGS.map((value) => aCall({ [fieldOf(filter)]: value }));
    await written(tenant, ...calls);
    for (const [place, value] of NAUGHTY_STRINGS.entries()) {
      expect({ value, found: await found(tenant, { [filter]: value }) }).toEqual({
        value,
        found: [calls[place]!.callId],
      });
    }
  });

  it('finds nothing of another project', async () => {
    const [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
    await written(theirs, aCall({ model: 'm', sessionId: 's' }));
    for (const query of [{}, { model: 'm' }, { sessionIds: 's' }]) expect(await found(mine, query)).toEqual([]);
  });
});

describe('a call without', () => {
  it.each(['model', 'provider'])('a %s is found as unknown', async (filter) => {
    const tenant = await makeTenant(service);
    const calls = [aCall(), aCall({ [filter]: '' })];
    await written(tenant, ...calls, aCall({ [filter]: 'known' }));
    expect(await found(tenant, { [filter]: 'unknown' })).toEqual(calls.map(({ callId }) => callId));
  });

  it('a name is found under its operation type', async () => {
    const tenant = await makeTenant(service);
    const call = aCall({ sourceSubtype: 'routing_pipeline', source: 'pipelines' });
    await written(tenant, call);
    expect(await found(tenant, { name: 'routing_pipeline' })).toEqual([call.callId]);
  });

  it('a name and an operation type is found under its provider', async () => {
    const tenant = await makeTenant(service);
    const call = aCall({ sourceSubtype: '', provider: 'openai' });
    await written(tenant, call);
    expect(await found(tenant, { name: 'openai' })).toEqual([call.callId]);
  });

  it('environment and channel matches no such filter, whatever its value', async () => {
    const tenant = await makeTenant(service);
    await written(tenant, aCall({ source: 'studio_test_calls' }));
    for (const query of [{ environment: 'development' }, { channel: 'api' }, { channelType: 'api' }]) {
      expect(await found(tenant, query)).toEqual([]);
    }
  });
});

it('a filter for an environment matches lower case only', async () => {
  const tenant = await makeTenant(service);
  await written(tenant, aCall({ environment: 'Production' }));
  expect(await found(tenant, { environment: 'production' })).toHaveLength(1);
  for (const environment of ['Production', 'prod', 'dev']) expect(await found(tenant, { environment })).toEqual([]);
});

describe('sessions', () => {
  const three = async (): Promise<[Tenant, string[]]> => {
    const tenant = await makeTenant(service);
    const calls = ['a', 'b', 'c'].map((sessionId) => aCall({ sessionId }));
    await written(tenant, ...calls);
    return [tenant, calls.map(({ callId }) => callId)];
  };

  it.each([
    ['a,c', [0, 2]],
    [
      ['a', 'c'],
      [0, 2],
    ],
    [
      ['a,b', 'c'],
      [0, 1, 2],
    ],
    ['nowhere', []],
  ])('%j are found', async (sessionIds, places) => {
    const [tenant, names] = await three();
    expect(await found(tenant, { sessionIds })).toEqual(places.map((place) => names[place]));
  });

  it.each(['', 'a,', ',a', 'a,,b', 'a,b,a'])('%j are refused', async (sessionIds) => {
    expect(await read(await makeTenant(service), { sessionIds })).toMatchObject(faultsAt('sessionIds'));
    const repeated = sessionIds.split(',');
    expect(await read(await makeTenant(service), { sessionIds: repeated })).toMatchObject(faultsAt('sessionIds'));
  });

  it('are at most ten thousand, in one parameter or in several', async () => {
    const [tenant, names] = await three();
    const many = ['b', ...Array.from({ length: 9_999 }, (_, i) => `s-0VJ8kQ2xT4bN7mRw${String(i).padStart(6, '0')}`)];
    expect(await found(tenant, { sessionIds: many })).toEqual([names[1]]);
    expect(await found(tenant, { sessionIds: many.join(',') })).toEqual([names[1]]);
    expect(await read(tenant, { sessionIds: [...many, 'c'] })).toMatchObject(faultsAt('sessionIds'));
  });

  it('combine with the other filters', async () => {
    const tenant = await makeTenant(service);
    const call = aCall({ sessionId: 's', status: 'failed' });
    await written(tenant, call, aCall({ sessionId: 's' }), aCall({ status: 'failed' }));
    expect(await found(tenant, { sessionIds: 's', status: 'failed' })).toEqual([call.callId]);
  });
});
