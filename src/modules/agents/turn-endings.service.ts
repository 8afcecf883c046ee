import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { Database } from '../../platform/database/database.js';
import { Notices } from '../../platform/redis/notices.js';
import { type Memory, SessionMemory } from '../sessions/session-memory.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { ToolRuns } from '../tools/tool-runs.service.js';
import { TracesService } from '../traces/traces.service.js';
import type { Provenance } from './agents.port.js';
import type { Run } from './run.js';
import { RunStore } from './run-store.js';
import { type AnswerStep, toolStep, userStep } from './steps.js';
import { type Failure, type Outcome, topicOf } from './turn.js';
import { CALLER } from './tool-steps.js';
import { TurnSinks } from './turn-sinks.js';
import { type Version, Versions } from './versions.js';

const TURN_ENDED = { code: 'RUN_CANCELLED', message: 'The turn that asked for it ended without it.' };
const DEFAULT_FALLBACK = 'I cannot answer that right now. Ask again in a moment.';
/** After every step there may be. */
const LAST_STEP = 2_000_000_000;

/** The end of a turn: what follows from it all commits together. */
@Injectable()
export class TurnEndings {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionsService,
    private readonly memory: SessionMemory,
    private readonly runs: RunStore,
    private readonly versions: Versions,
    private readonly traces: TracesService,
    private readonly tools: ToolRuns,
    private readonly sinks: TurnSinks,
    private readonly notices: Notices,
  ) {}

  /** Without whoever was at work on it. */
  async giveUp(em: EntityManager, runId: Run['runId'], failure: Failure): Promise<void> {
    const run = await this.runs.find(runId);
    if (run) await this.finish(em, run, await this.versions.find(run.versionId), { failure }, 0);
  }

  async finish(
    em: EntityManager,
    { runId, sessionId }: Run,
    version: Version | null,
    outcome: Outcome,
    activeMs: number,
  ): Promise<void> {
    const failure = 'failure' in outcome ? outcome.failure : null;
    const end = { error: failure, usedFallback: failure !== null, activeMs };
    // The session before the run: so does whoever ends it.
    const [session, run] = await Promise.all([
      this.sessions.hold(em, sessionId),
      this.runs.finish(em, runId, failure ? 'failed' : 'completed', end),
    ]);
    if (!run || !session) return;
    if (failure) await this.tools.breakOff(em, sessionId, { name: CALLER, ref: runId }, TURN_ENDED);
    const [memory, others] = await Promise.all([
      this.memory.ofTurn(sessionId, run.number),
      this.runs.countAlive(em, sessionId),
    ]);
    const answer = answerOf(run, outcome, version, memory);
    const content = JSON.stringify(answer);
    await this.memory.add(em, sessionId, { turn: run.number, step: LAST_STEP, kind: 'answer', content });
    await this.rest(em, run, others);
    await this.observe(em, run, version, memory, answer);
    await this.tell(em, run, answer);
    this.database.afterCommit(() => this.notices.tell(topicOf(run), { type: 'done' }));
  }

  private async rest(em: EntityManager, run: Run, others: number): Promise<void> {
    const status = others > 0 ? 'busy' : run.state === 'failed' ? 'error' : 'idle';
    const { llmCalls, inputTokens, outputTokens, cost } = run;
    const latencyMs = run.finishedAt!.getTime() - run.createdAt.getTime();
    await this.sessions.rest(em, run.sessionId, status, { llmCalls, inputTokens, outputTokens, cost, latencyMs });
  }

  private async observe(
    em: EntityManager,
    run: Run,
    version: Version | null,
    memory: readonly Memory[],
    answer: AnswerStep,
  ): Promise<void> {
    const said = memory.find(({ kind }) => kind === 'user');
    const attributes = {
      run_id: run.runId,
      app_version_id: run.versionId,
      ...(version && { agent_id: version.agentId }),
    };
    await this.traces.write(em, run.projectId, run.appId, [
      {
        id: run.observationId,
        traceId: run.traceId,
        parentId: null,
        sessionId: run.sessionId,
        name: version?.agentName ?? 'agent',
        startedAt: (run.startedAt ?? run.createdAt).toISOString(),
        endedAt: (run.finishedAt ?? clock.now()).toISOString(),
        status: run.error ? 'failed' : 'success',
        statusMessage: run.error?.code ?? '',
        input: said ? userStep(said).text : null,
        output: answer.text,
        attributes: JSON.stringify(attributes),
        generation: null,
      },
    ]);
  }

  private async tell(
    em: EntityManager,
    run: Run,
    { text, usedFallback, provenance, media }: AnswerStep,
  ): Promise<void> {
    const { runId, projectId, appId, sessionId, environment, sink, isNewSession, traceId, error } = run;
    const turn = { runId, projectId, appId, sessionId, environment, sink };
    await this.sinks.tellFinished(em, {
      ...turn,
      status: error ? 'failed' : 'ok',
      response: text,
      usedFallback,
      isNewSession,
      traceId,
      media,
      provenance,
      ...(error && { error }),
    });
  }
}

function answerOf(run: Run, outcome: Outcome, version: Version | null, memory: readonly Memory[]): AnswerStep {
  const provenance = provenanceOf(run);
  if ('failure' in outcome)
    return { text: version?.fallbackMessage ?? DEFAULT_FALLBACK, usedFallback: true, provenance, media: [] };
  const media = memory.filter(({ kind }) => kind === 'tool').flatMap((each) => toolStep(each).media ?? []);
  return { text: outcome.text, usedFallback: false, provenance, media };
}

function provenanceOf({ error, llmCalls, toolCalls }: Run): Provenance {
  const usedLlmInternally = llmCalls > 0;
  if (error) return { kind: 'fallback', usedLlmInternally };
  return { kind: toolCalls > 0 ? 'mixed' : 'llm', usedLlmInternally };
}
