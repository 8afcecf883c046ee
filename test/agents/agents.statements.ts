import { newId } from '../../src/kernel/ids.js';
import { ActivationRepository } from '../../src/modules/agents/definitions/activation.repository.js';
import { AgentVersionRepository } from '../../src/modules/agents/definitions/agent-version.repository.js';
import { AgentRun } from '../../src/modules/agents/runs/agent-run.entity.js';
import { AgentRunRepository } from '../../src/modules/agents/runs/agent-run.repository.js';
import { SignInFlow } from '../../src/modules/agents/sign-in/sign-in-flow.entity.js';
import { SignInFlowRepository } from '../../src/modules/agents/sign-in/sign-in-flow.repository.js';
import { UserToken } from '../../src/modules/agents/sign-in/user-token.entity.js';
import { UserTokenRepository } from '../../src/modules/agents/sign-in/user-token.repository.js';
import { sql } from '../../src/platform/database/sql.js';
import { write } from '../../src/platform/database/statement.js';
import { exampleRow, examplesOf, type Examples } from '../support/statement-examples.js';

const [appId, envId, agentId, userId] = [newId('app'), newId('environment'), newId('agent'), newId('user')];
const [runId, sessionId] = [newId('agentRun'), newId('session')];
const call = { status: 'success' as const, latencyMs: 1, answer: null, inputTokens: 1, outputTokens: 2, cost: 3 };
const run = exampleRow(AgentRun);
const newRun = {
  id: run.id,
  projectId: run.projectId,
  appId: run.appId,
  sessionId: run.sessionId,
  environment: run.environment,
  userId: run.userId,
  versionId: run.versionId,
  jobId: run.jobId,
  sinkName: run.sinkName,
  sinkRef: run.sinkRef,
  channel: run.channel,
  isNewSession: true,
  isStreamed: false,
};

export const examples: Examples = {
  ...examplesOf(ActivationRepository, (activations) => ({
    activeIn: activations.activeIn([envId]),
    activeAt: activations.activeAt(appId, 'production'),
    messageTarget: activations.messageTarget(appId, 'production'),
    removeOf: activations.removeOf(agentId),
  })),
  ...examplesOf(AgentVersionRepository, (versions) => ({ answering: versions.answering(newId('agentVersion')) })),
  ...examplesOf(AgentRunRepository, (runs) => ({
    byId: runs.byId(runId),
    lock: runs.lock(runId),
    unfinished: runs.unfinished(sessionId),
    next: runs.next(sessionId),
    add: runs.add({ ...newRun, number: 1 }),
    begin: runs.begin(runId),
    suspend: runs.suspend(runId, 1),
    resume: runs.resume(runId),
    addCall: runs.addCall(runId, call),
    addCallAfter: runs.addCallAfter(write(sql`delete from session_memory`), runId, call),
    addToolCall: runs.addToolCall(runId),
    finish: runs.finish({ id: runId, sessionId }, { failure: null, activeMs: 1 }),
  })),
  ...examplesOf(SignInFlowRepository, (flows) => ({
    add: flows.add([exampleRow(SignInFlow)]),
    open: flows.open('flow'),
    bind: flows.bind('flow', 'code', 'browser'),
    use: flows.use('flow'),
  })),
  ...examplesOf(UserTokenRepository, (tokens) => ({
    keep: tokens.keep(exampleRow(UserToken)),
    ofUser: tokens.ofUser(userId),
    ofUserByProfile: tokens.ofUserByProfile(appId, userId),
    lock: tokens.lock('token'),
    waitAtMost: tokens.waitAtMost(100),
  })),
};
