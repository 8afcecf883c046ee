import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { say } from '../agents/make.js';
import { ledgerOf } from '../gateway/calls.js';
import { details, list } from '../sessions/make.js';
import { administratorOf, type Tenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { ModelDouble } from '../support/providers/model-double.js';
import type { Target } from '../support/service.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { deliveries } from '../webhooks/subscribe.js';

const double = await ModelDouble.start();
afterAll(() => double.stop());

/** The settings of a service without a demo, whose environment names a model that is paid for. */
async function newSettings(more: SettingsOfTest = {}): Promise<SettingsOfTest> {
  const paid = { OPENAI_API_KEY: 'sk-canary-of-the-environment-4711', VENDOR1_BASE_URL: double.url };
  return { ...settingsFor(await createDatabase()), SLIPWAY_DEMO: '1', LOG_LEVEL: 'warn', ...paid, ...more };
}

interface Demo extends Tenant {
  toolId: string;
  subscriptionId: string;
}

/** Returns the demo as a caller of this process. */
function demoOf(target: Target, { DATA_DIR }: SettingsOfTest): Demo {
  const demo = JSON.parse(readFileSync(join(DATA_DIR!, 'demo.json'), 'utf8')) as Demo & { apiKey: string };
  return { ...demo, key: demo.apiKey, api: Client.withKey(target, demo.apiKey) };
}

async function runsOf({ api, toolId }: Demo) {
  const path = `/api/public/tools/${toolId}/runs`;
  const { runs } = (await api.get<{ runs: { runId: string; status: string }[] }>(path)).body;
  return Promise.all(runs.map(async ({ runId }) => (await api.get<{ status: string }>(`${path}/${runId}`)).body));
}

async function sessionsOf(demo: Demo) {
  const { sessions } = (await list(demo)).body;
  const all = sessions.map(async ({ session_id: id }) => (await details(demo, id, { include: 'traces' })).body);
  return (await Promise.all(all)).flatMap(({ sessions: [session] }) => session!);
}

const untilTalked = (demo: Demo) =>
  eventually(
    () => sessionsOf(demo),
    ([session]) => session?.totals.turns === 2,
  );
const untilRun = (demo: Demo) =>
  eventually(
    () => runsOf(demo),
    ([run]) => run?.status === 'completed',
  );

describe('the first start', () => {
  it('leaves a conversation with the mock and a run of the tool, and later ones leave no more', async () => {
    const settings = await newSettings();
    const first = await startProcess(settings);
    const demo = demoOf(first, settings);
    const [session, ...otherSessions] = await untilTalked(demo);
    expect(otherSessions).toEqual([]);
    expect(session).toMatchObject({ status: 'idle', totals: { turns: 2, calls: 2 } });
    expect(session!.traces.map(({ input, output }) => [input, output])).toEqual([
      ['Hello! Is anybody there?', '[mock] You said: Hello! Is anybody there?'],
      ['Good. Please remember my order 4711.', '[mock] You said: Good. Please remember my order 4711.'],
    ]);
    const calls = await ledgerOf(demo);
    const sessionId = session!.session_id;
    const call = { model: 'mock', status: 'success', environment: 'production', sessionId };
    expect(calls).toEqual([expect.objectContaining(call), expect.objectContaining(call)]);
    const runs = await untilRun(demo);
    expect(runs).toEqual([
      expect.objectContaining({ status: 'completed', input: { orderId: '4711' }, output: { total: 42 } }),
    ]);

    expect(double.calls).toEqual([]);
    expect(await deliveries(first, demo.subscriptionId)).toEqual([]);
    const problems = `/api/admin/v1/projects/${demo.projectId}/problems`;
    expect(await administratorOf(first).get(problems)).toMatchObject({ outcome: '200', body: { data: [] } });
    expect(first.output()).not.toContain('conversation');

    const another = await startProcess(settings);
    await first.stop();
    await another.stop();
    const later = await startProcess(settings);
    const again = demoOf(later, settings);
    await say(again, 'mine', 'Are you another model?');
    expect(double.calls).toHaveLength(1);
    const sessions = await sessionsOf(again);
    expect(sessions).toHaveLength(2);
    expect(sessions).toContainEqual(session);
    expect(await ledgerOf(again)).toHaveLength(3);
    expect(await runsOf(again)).toEqual(runs);
    await later.stop();
  });

  it('leaves the run alone without the mock', async () => {
    const settings = await newSettings({ MODEL_MOCK: 'off' });
    const service = await startProcess(settings);
    const demo = demoOf(service, settings);
    expect(await untilRun(demo)).toHaveLength(1);
    expect((await list(demo)).body.sessions).toEqual([]);
    await service.stop();
  });

  it('succeeds without a conversation if that fails, and says so in the log', async () => {
    const settings = await newSettings();
    const database = new TestDatabase(settings.DATABASE_URL!);
    await database.rows(`alter table session add check (reference <> 'demo-conversation')`);
    const service = await startProcess(settings);
    const { api } = demoOf(service, settings);
    expect((await api.get('/api/public/me')).outcome).toBe('200');
    await eventually(() => service.output().includes('demo.begin-conversation'));
    await Promise.all([service.stop(), database.end()]);
  });
});
