import { newId } from '../../src/kernel/ids.js';
import { makeConnection } from '../connections/make.js';
import { connectTo } from '../gateway/calls.js';
import { makeMcpConnection, pathOf as mcpPathOf } from '../mcp-connections/make.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';
import {
  activate,
  type AgentBody,
  byReference,
  createAgent,
  makeActiveAgent,
  makeAgent,
  type RunBody,
  say,
} from './make.js';

const service = await startService();
const tenant = await makeTenant(service);
const admin = administratorOf(service);
const at = `/api/admin/v1/apps/${tenant.appId}`;
afterAll(() => service.stop());

it('a new agent has defaults for all members that are left out', async () => {
  const { outcome, body } = await createAgent(service, tenant.appId, { name: 'Desk' });
  expect(outcome).toBe('201');
  expect(body.data).toMatchObject({
    name: 'Desk',
    appId: tenant.appId,
    version: 1,
    connectionId: null,
    modelId: null,
    model: null,
    toolIds: [],
    welcomeMessage: null,
    fallbackMessage: null,
    historyTokens: 8_000,
    maxSteps: 10,
    timeoutSeconds: 120,
  });
});

it('every change except of the name makes a new version', async () => {
  const { agentId, versionId } = await makeAgent(service, tenant.appId);
  const path = `${at}/agents/${agentId}`;
  const renamed = await admin.patch<{ data: AgentBody }>(path, { name: 'Another' });
  expect(renamed.body.data).toMatchObject({ name: 'Another', version: 1, versionId });
  const changed = await admin.patch<{ data: AgentBody }>(path, { instructions: 'Be brief.' });
  expect(changed.body.data).toMatchObject({ version: 2, instructions: 'Be brief.' });
  const versions = await admin.get<{ data: AgentBody[] }>(`${path}/versions`);
  expect(versions.body.data.map(({ instructions }) => instructions)).toEqual(['You are of help.', 'Be brief.']);
  const newest = await admin.get<{ data: AgentBody[]; meta: { nextCursor: string } }>(`${path}/versions`, {
    query: { order: 'desc', limit: '1' },
  });
  expect(newest.body.data.map(({ version }) => version)).toEqual([2]);
  const older = await admin.get<{ data: AgentBody[] }>(`${path}/versions`, {
    query: { order: 'desc', cursor: newest.body.meta.nextCursor },
  });
  expect(older.body.data.map(({ version }) => version)).toEqual([1]);
  const first = await admin.get<{ data: AgentBody }>(`${path}/versions/${versionId}`);
  expect(first.body.data).toMatchObject({ version: 1, instructions: 'You are of help.' });
});

it('an active version stays active until another one is activated, and a rollback restores it', async () => {
  const own = await makeTenant(service);
  const { agentId, versionId } = await makeActiveAgent(service, own, { welcomeMessage: 'One' });
  const path = `/api/admin/v1/apps/${own.appId}`;
  const two = await admin.patch<{ data: AgentBody }>(`${path}/agents/${agentId}`, { welcomeMessage: 'Two' });
  const active = () => admin.get<{ data: { appVersionId: string } }>(`${path}/environments/production/active`);
  expect((await active()).body.data.appVersionId).toBe(versionId);
  const { body } = await activate(service, own.appId, agentId);
  expect(body.data.appVersionId).toBe(two.body.data.versionId);
  const back = await admin.post<{ data: { appVersionId: string } }>(`${path}/environments/production/rollback`);
  expect(back.body.data.appVersionId).toBe(versionId);
  const history = await admin.get<{ data: { endedAt: string | null }[] }>(
    `${path}/environments/production/activations`,
  );
  expect(history.body.data.map(({ endedAt }) => endedAt === null)).toEqual([true, false, false]);
});

it('finds the activations of a version or an agent, and goes back past a hundred of the same version', async () => {
  const own = await makeTenant(service);
  const one = await makeActiveAgent(service, own);
  const other = await makeActiveAgent(service, own);
  const path = `/api/admin/v1/apps/${own.appId}/environments/production`;
  await service.database.rows(
    `insert into agent_activation (environment_id, version_id, activated_at, ended_at)
     select environment_id, version_id, now(), now() from agent_activation, generate_series(1, 101)
     where version_id = $1`,
    [other.versionId],
  );
  await activate(service, own.appId, other.agentId, { active: false });
  await activate(service, own.appId, other.agentId);
  const found = async (query: Record<string, string>) =>
    (await admin.get<{ data: { appVersionId: string }[] }>(`${path}/activations`, { query })).body.data.length;
  expect(await found({ agentId: one.agentId })).toBe(1);
  expect(await found({ appVersionId: other.versionId, limit: '100' })).toBe(100);
  const { body } = await admin.post<{ data: { appVersionId: string } }>(`${path}/rollback`);
  expect(body.data.appVersionId).toBe(one.versionId);
});

it('the answer to a change says what is active and how to activate the change', async () => {
  const own = await makeTenant(service);
  interface Changed extends AgentBody {
    activeVersions: { environment: string; versionId: string; version: number }[];
    note?: string;
  }
  const created = await createAgent(service, own.appId);
  const { agentId, versionId, note, activeVersions } = created.body.data as Changed;
  expect(activeVersions).toEqual([]);
  expect(note).toMatch(/not active in any environment/);
  await activate(service, own.appId, agentId);
  const path = `/api/admin/v1/apps/${own.appId}/agents/${agentId}`;

  const renamed = await admin.patch<{ data: Changed }>(path, { name: 'Another' });
  expect(renamed.body.data.activeVersions).toEqual([{ environment: 'production', versionId, version: 1 }]);
  expect(renamed.body.data).not.toHaveProperty('note');

  const { data } = (await admin.patch<{ data: Changed }>(path, { instructions: 'Be brief.' })).body;
  expect(data.activeVersions).toEqual([{ environment: 'production', versionId, version: 1 }]);
  expect(data.note).toContain('production still has version 1');
  const [, address = '', body = ''] = /send PUT (\S+) with (\{.+\})\./.exec(data.note!) ?? [];
  const activated = await admin.put<{ data: { appVersionId: string } }>(address, JSON.parse(body) as object);
  expect(activated.body.data.appVersionId).toBe(data.versionId);
});

it('an environment has no agent after its agent is deactivated', async () => {
  const own = await makeTenant(service);
  const { agentId } = await makeActiveAgent(service, own);
  const { body } = await activate(service, own.appId, agentId, { active: false });
  expect(body.data).toMatchObject({ agentId: null, appVersionId: null });
  expect((await say(own, 'x', 'Hello')).outcome).toBe('409 NO_ACTIVE_DEPLOYMENT');
  expect(await service.database.rows(`select from session where app_id = $1`, [own.appId])).toEqual([]);
});

it('an agent can be deleted only if it is active nowhere', async () => {
  const own = await makeTenant(service);
  const { agentId } = await makeActiveAgent(service, own);
  const path = `/api/admin/v1/apps/${own.appId}/agents/${agentId}`;
  expect((await admin.delete(path)).outcome).toBe('409 AGENT_ACTIVE');
  await activate(service, own.appId, agentId, { active: false });
  expect((await admin.delete(path)).outcome).toBe('200');
  expect((await admin.get(path)).outcome).toBe('404 AGENT_NOT_FOUND');
});

it('an agent that is activated, read and deleted at the same moment is either active or deleted', async () => {
  const own = await makeTenant(service);
  const path = `/api/admin/v1/apps/${own.appId}/agents`;
  for (let round = 0; round < 10; round += 1) {
    const { agentId } = await makeAgent(service, own.appId);
    const [activated, deleted, ...reads] = await Promise.all([
      activate(service, own.appId, agentId),
      admin.delete(`${path}/${agentId}`),
      admin.get(`${path}/${agentId}`),
      admin.get(path),
    ]);
    expect(['200 | 409 AGENT_ACTIVE', '404 AGENT_NOT_FOUND | 200']).toContain(
      `${activated.outcome} | ${deleted.outcome}`,
    );
    expect(reads.filter(({ status }) => status !== 200 && status !== 404)).toEqual([]);
  }
});

it('references to connections, models and tools that do not exist are refused', async () => {
  const theirs = await connectTo(await makeTenant(service), { url: 'http://127.0.0.1:1' });
  const refused = async (input: object) => (await createAgent(service, tenant.appId, input)).outcome;
  expect(await refused({ connectionId: theirs })).toBe('404 CONNECTION_NOT_FOUND');
  expect(await refused({ connectionId: newId('connection') })).toBe('404 CONNECTION_NOT_FOUND');
  expect(await refused({ modelId: newId('model') })).toBe('404 MODEL_NOT_FOUND');
  const { connectionName } = await makeConnection(tenant);
  expect(await refused({ modelId: connectionName })).toBe('404 MODEL_NOT_FOUND');
  expect(await refused({ model: 'nothing' })).toBe('404 MODEL_NOT_FOUND');
  expect(await refused({ toolIds: [newId('tool')] })).toBe('404 TOOL_NOT_FOUND');
});

it('an agent can be changed after what it names was deleted, but not name it again', async () => {
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, { url: 'http://127.0.0.1:1/mcp' });
  const mcpConnectionIds = [mcpConnectionId];
  const { agentId } = await makeAgent(service, tenant.appId, { mcpConnectionIds });
  expect((await admin.delete(mcpPathOf(tenant, mcpConnectionId))).outcome).toBe('200');
  const path = `${at}/agents/${agentId}`;
  const changed = await admin.patch<{ data: AgentBody }>(path, { instructions: 'Be brief.' });
  expect(changed).toMatchObject({ outcome: '200', body: { data: { instructions: 'Be brief.', mcpConnectionIds } } });
  expect((await admin.patch(path, { mcpConnectionIds })).outcome).toBe('404 MCP_CONNECTION_NOT_FOUND');
});

it('two models, and values out of their bounds, are refused', async () => {
  const both = { connectionId: newId('connection'), modelId: newId('model') };
  expect(await createAgent(service, tenant.appId, both)).toMatchObject(faultsAt('modelId'));
  const odd = { historyTokens: 1, maxSteps: 0, timeoutSeconds: 4_000, welcomeMessage: '' };
  expect(await createAgent(service, tenant.appId, odd)).toMatchObject(
    faultsAt('welcomeMessage', 'historyTokens', 'maxSteps', 'timeoutSeconds'),
  );
});

it('a version answers on trial without becoming active, also as a stream', async () => {
  const own = await makeTenant(service);
  const { agentId, versionId } = await makeAgent(service, own.appId, { welcomeMessage: 'On trial' });
  const path = `/api/admin/v1/apps/${own.appId}`;
  const latest = await admin.patch<{ data: AgentBody }>(`${path}/agents/${agentId}`, { welcomeMessage: 'Two' });
  const runs = (id: string) => `${path}/agents/${agentId}/versions/${id}/runs`;
  const message = { sessionIdentity: byReference('trial'), input: 'Good morning' };
  const { outcome, body } = await admin.post<RunBody>(runs(versionId), message);
  expect(outcome).toBe('200');
  expect(body).toMatchObject({ status: 'completed', events: [{ content: { messageToUser: 'On trial' } }] });
  expect(body.output[0]!.content).toContain('Good morning');
  const streamed = await admin.post(runs(latest.body.data.versionId), { ...message, stream: true });
  expect(streamed.text).toContain('event: done');
  expect(streamed.text).toContain(body.session.sessionId);
  const used = await service.database.rows<{ version_id: string; environment: string }>(
    'select version_id, environment from run where session_id = $1 order by number',
    [body.session.sessionId],
  );
  expect(used).toEqual([
    { version_id: versionId, environment: 'development' },
    { version_id: latest.body.data.versionId, environment: 'development' },
  ]);
  const active = await admin.get<{ data: object }>(`${path}/environments/development/active`);
  expect(active.body.data).toMatchObject({ agentId: null });
  expect((await admin.post(runs(newId('agentVersion')), message)).outcome).toBe('404 AGENT_VERSION_NOT_FOUND');
  const elsewhere = `${at}/agents/${agentId}/versions/${versionId}/runs`;
  expect((await admin.post(elsewhere, message)).outcome).toBe('404 AGENT_NOT_FOUND');
});
