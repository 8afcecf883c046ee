import { Injectable } from '@nestjs/common';
import { clock } from '../../../kernel/clock.js';
import type { Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { Events } from '../../../platform/events/events.js';
import { Notifications } from '../../../platform/redis/notifications.js';
import { type Memory, SessionMemory } from '../../sessions/memory/session-memory.service.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { ToolRuns } from '../../tools/runs/tool-runs.service.js';
import { TracesService } from '../../traces/traces.service.js';
import { type AgentRunRow, errorOf } from '../runs/agent-run.entity.js';
import { AgentRunRepository, sessionStatusAfter } from '../runs/agent-run.repository.js';
import type { AnsweringVersion } from '../definitions/agent.entity.js';
import { AgentVersionRepository } from '../definitions/agent-version.repository.js';
import { TurnCompleted, TurnFailed } from '../agents.events.js';
import type { FinishedTurn, Provenance } from '../agents.port.js';
import { type AnswerStep, toolStep, userStep } from './steps.js';
import { CALLER } from './tool-steps.js';
import { type Failure, type Outcome, topicOf, turnOf, TurnSinks } from './turn.js';

const TURN_ENDED = { code: 'RUN_CANCELLED', message: 'The turn that called the tool ended before the run did.' };
const DEFAULT_FALLBACK = 'I cannot answer that right now. Ask again in a moment.';
/** The number of the answer's step. It is greater than the number of any other step of a turn. */
const LAST_STEP = 2_000_000_000;

/** Ends turns. All effects of the end commit together. */
@Injectable()
export class TurnEndings {
  constructor(
    private readonly sessions: SessionsService,
    private readonly memory: SessionMemory,
    private readonly runs: AgentRunRepository,
    private readonly versions: AgentVersionRepository,
    private readonly traces: TracesService,
    private readonly tools: ToolRuns,
    private readonly sinks: TurnSinks,
    private readonly notifications: Notifications,
    private readonly events: Events,
  ) {}

  /** Locks the rows that the end of a turn changes. */
  async lock(tx: Transaction, runId: AgentRunRow['id']): Promise<void> {
    const run = await tx.ask(this.runs.byId(runId));
    if (!run) return;
    await tx.askAll([this.sessions.lock(run.sessionId), this.runs.lock(runId)]);
    await this.tools.lock(tx, run.sessionId, { name: CALLER, ref: runId });
  }

  /** Ends a turn on which no process works any more, because its job was cancelled or its last attempt failed. */
  async fail(tx: Transaction, runId: AgentRunRow['id'], failure: Failure): Promise<void> {
    const run = await tx.ask(this.runs.byId(runId));
    if (!run) return;
    const version = await tx.ask(this.versions.answering(run.versionId));
    for (const write of await this.finish(tx, run, version, { failure }, 0)) tx.defer(write);
  }

  /** Returns writes that the caller sends as one statement, together with its own. */
  async finish(
    tx: Transaction,
    { id, sessionId }: AgentRunRow,
    version: AnsweringVersion | null,
    outcome: Outcome,
    activeMs: number,
  ): Promise<Statement<unknown>[]> {
    const failure = 'failure' in outcome ? outcome.failure : null;
    const run = await tx.ask(this.runs.finish({ id, sessionId }, { failure, activeMs }));
    if (!run) return [];
    if (failure) await this.tools.failAllFor(tx, sessionId, { name: CALLER, ref: id }, TURN_ENDED);
    const memory = 'failure' in outcome ? await tx.ask(this.memory.ofTurn(sessionId, run.number)) : outcome.memory;
    const answer = answerOf(run, outcome, version, memory);
    const content = JSON.stringify(answer);
    await this.sinks.notifyFinished(tx, toFinishedTurn(run, answer));
    tx.afterCommit(() => this.notifications.notify(topicOf(run), { type: 'done' }));
    await this.publish(tx, run);
    return [
      this.memory.rememberInLocked(sessionId, { turn: run.number, step: LAST_STEP, kind: 'answer', content }),
      this.sessions.endTurn(sessionId, sessionStatusAfter(run), totalsOf(run)),
      ...this.traces.writes(run.projectId, run.appId, [observationOf(run, version, memory, answer)]),
    ];
  }

  private publish(tx: Transaction, { id: runId, errorCode: code, ...run }: AgentRunRow): Promise<void> {
    const { projectId, appId, environment, sessionId } = run;
    const turn = { projectId, appId, environment, sessionId, runId };
    if (code !== null) return this.events.publish(tx, TurnFailed, { ...turn, code });
    return this.events.publish(tx, TurnCompleted, turn);
  }
}

function answerOf(
  run: AgentRunRow,
  outcome: Outcome,
  version: AnsweringVersion | null,
  memory: readonly Memory[],
): AnswerStep {
  const provenance = provenanceOf(run);
  if ('failure' in outcome)
    return { text: version?.fallbackMessage ?? DEFAULT_FALLBACK, usedFallback: true, provenance, media: [] };
  const media = memory.filter(({ kind }) => kind === 'tool').flatMap((entry) => toolStep(entry).media ?? []);
  return { text: outcome.text, usedFallback: false, provenance, media };
}

function provenanceOf({ state, llmCalls, toolCalls }: AgentRunRow): Provenance {
  const usedLlmInternally = llmCalls > 0;
  if (state === 'failed') return { kind: 'fallback', usedLlmInternally };
  return { kind: toolCalls > 0 ? 'mixed' : 'llm', usedLlmInternally };
}

/** Returns what the turn adds to the totals of its session. */
function totalsOf({ llmCalls, inputTokens, outputTokens, cost, createdAt, finishedAt }: AgentRunRow) {
  return { llmCalls, inputTokens, outputTokens, cost, latencyMs: finishedAt!.getTime() - createdAt.getTime() };
}

/** Returns the observation of the turn, which is at the top of its trace. */
function observationOf(
  run: AgentRunRow,
  version: AnsweringVersion | null,
  memory: readonly Memory[],
  answer: AnswerStep,
) {
  const message = memory.find(({ kind }) => kind === 'user');
  const attributes = {
    run_id: run.id,
    app_version_id: run.versionId,
    ...(version && { agent_id: version.agentId }),
  };
  return {
    id: run.observationId,
    traceId: run.traceId,
    parentId: null,
    sessionId: run.sessionId,
    name: version?.agentName ?? 'agent',
    startedAt: (run.startedAt ?? run.createdAt).toISOString(),
    endedAt: (run.finishedAt ?? clock.now()).toISOString(),
    status: run.errorCode === null ? ('success' as const) : ('failed' as const),
    statusMessage: run.errorCode ?? '',
    input: message ? userStep(message).text : null,
    output: answer.text,
    attributes: JSON.stringify(attributes),
    generation: null,
  };
}

function toFinishedTurn(run: AgentRunRow, { text, usedFallback, provenance, media }: AnswerStep): FinishedTurn {
  const { isNewSession, traceId } = run;
  const error = errorOf(run);
  return {
    ...turnOf(run),
    status: error ? 'failed' : 'ok',
    response: text,
    usedFallback,
    isNewSession,
    traceId,
    media,
    provenance,
    ...(error && { error }),
  };
}
