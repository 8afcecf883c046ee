import { MikroORM } from '@mikro-orm/postgresql';
import { toId } from '../../src/kernel/ids.js';
import { AgentRun } from '../../src/modules/agents/runs/agent-run.entity.js';
import { SignInFlow } from '../../src/modules/agents/sign-in/sign-in-flow.entity.js';
import { create, user } from '../sessions/make.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { makeActiveAgent, say } from './make.js';
import { makeProfile } from './sign-in.js';

const service = await startService();
afterAll(() => service.stop());

const em = () => service.app.get(MikroORM).em.fork();

it('the ORM finds runs with the version that answered', async () => {
  const tenant = await makeTenant(service);
  const { agentId, versionId } = await makeActiveAgent(service, tenant);
  const { body } = await say(tenant, 'found', 'Hello');
  const { runId, session, usage } = body;
  const [run, ...others] = await em().find(
    AgentRun,
    { app: toId('app', tenant.appId) },
    { populate: ['version.agent', 'project'] },
  );
  expect(others).toEqual([]);
  expect(run).toBeInstanceOf(AgentRun);
  expect(run).toMatchObject({
    ...{ id: runId, session: { id: session.sessionId }, state: 'completed', errorCode: null, sinkName: null },
    ...{ llmCalls: 1, inputTokens: usage.inputTokens, outputTokens: usage.outputTokens, cost: usage.cost },
    ...{ isNewSession: true, isResumed: false, finishedAt: expect.any(Date) as Date },
  });
  expect(Number.isInteger(run!.number)).toBe(true);
  expect([run!.version.id, run!.version.agent.id, run!.project.id]).toEqual([versionId, agentId, tenant.projectId]);
});

it('the ORM finds sign-ins with their profile', async () => {
  const tenant = await makeTenant(service);
  const { profileId } = (await makeProfile(service, tenant, { idpName: 'Company login' })).body.data;
  await create(tenant, [user('ada')]);
  const [flow] = await em().find(
    SignInFlow,
    { profile: { app: toId('app', tenant.appId) } },
    { populate: ['profile'] },
  );
  expect(flow).toBeInstanceOf(SignInFlow);
  expect(flow).toMatchObject({ profile: { id: profileId, idpName: 'Company login' }, usedAt: null });
});
