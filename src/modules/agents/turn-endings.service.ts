import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { Database } from '../../platform/database/database.js';
import { Notices } from '../../platform/redis/notices.js';
import { SessionMemory } from '../sessions/session-memory.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { ToolRuns } from '../tools/tool-runs.service.js';
import { TracesService } from '../traces/traces.service.js';
import type { AgentVersion } from './agent.entity.js';
import { AgentVersionRepository } from './agent-version.repository.js';
import type { Provenance, TurnMedia } from './agents.port.js';
import type { Run } from './run.js';
import { RunStore } from './run-store.js';
import { type AnswerStep, toolStep, userStep } from './steps.js';
import { type Outcome, topicOf } from './turn.js';
import { CALLER } from './tool-steps.js';
import { TurnSinks } from './turn-sinks.js';

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
    private readonly versions: AgentVersionRepository,
    private readonly traces: TracesService,
    private readonly tools: ToolRuns,
    private readonly sinks: TurnSinks,
    private readonly notices: Notices,
  ) {}

  async finish(em: EntityManager, runId: Run['runId'], outcome: Outcome, activeMs: number): Promise<void> {
    const known = await this.runs.find(runId);
    if (!known) return;
    // The session before the run: so does whoever ends it.
    const session = await this.sessions.hold(em, known.sessionId);
    const failure = 'failure' in outcome ? outcome.failure : null;
    const end = { error: failure, usedFallback: failure !== null, activeMs };
    const run = await this.runs.finish(em, runId, failure ? 'failed' : 'completed', end);
    if (!run || !session) return;
    if (failure) await this.tools.breakOff(em, session.id, { name: CALLER, ref: runId }, TURN_ENDED);
    const version = await this.versions.byId(run.versionId);
    const answer = await this.answerOf(run, outcome, version);
    const content = JSON.stringify(answer);
    await this.memory.add(em, run.sessionId, { turn: run.number, step: LAST_STEP, kind: 'answer', content });
    await this.rest(em, run);
    await this.observe(em, run, version, answer);
    await this.tell(em, run, answer);
    this.database.afterCommit(() => this.notices.tell(topicOf(run), { type: 'done' }));
  }

  private async answerOf(run: Run, outcome: Outcome, version: AgentVersion | null): Promise<AnswerStep> {
    const usedFallback = 'failure' in outcome;
    const text = usedFallback ? (version?.fallbackMessage ?? DEFAULT_FALLBACK) : outcome.text;
    const media = usedFallback ? [] : await this.mediaOf(run);
    return { text, usedFallback, provenance: provenanceOf(run), media };
  }

  private async mediaOf(run: Run): Promise<TurnMedia[]> {
    if (run.toolCalls === 0) return [];
    const memory = await this.memory.upTo(run.sessionId, run.number);
    const tools = memory.filter(({ turn, kind }) => turn === run.number && kind === 'tool');
    return tools.flatMap((each) => toolStep(each).media ?? []);
  }

  private async rest(em: EntityManager, run: Run): Promise<void> {
    const others = await this.runs.countAlive(em, run.sessionId);
    const status = others > 0 ? 'busy' : run.state === 'failed' ? 'error' : 'idle';
    const { llmCalls, inputTokens, outputTokens, cost } = run;
    const latencyMs = run.finishedAt!.getTime() - run.createdAt.getTime();
    await this.sessions.rest(em, run.sessionId, status, { llmCalls, inputTokens, outputTokens, cost, latencyMs });
  }

  private async observe(em: EntityManager, run: Run, version: AgentVersion | null, answer: AnswerStep): Promise<void> {
    const attributes = {
      run_id: run.runId,
      app_version_id: run.versionId,
      ...(version && { agent_id: version.agent.id }),
    };
    await this.traces.record(em, run.projectId, run.appId, [
      {
        id: run.observationId,
        traceId: run.traceId,
        parentId: null,
        sessionId: run.sessionId,
        name: version?.agent.name ?? 'agent',
        startedAt: (run.startedAt ?? run.createdAt).toISOString(),
        endedAt: (run.finishedAt ?? clock.now()).toISOString(),
        status: run.error ? 'failed' : 'success',
        statusMessage: run.error?.code ?? '',
        input: await this.inputOf(run),
        output: answer.text,
        attributes: JSON.stringify(attributes),
        generation: null,
      },
    ]);
  }

  private async inputOf(run: Run): Promise<string | null> {
    const memory = await this.memory.upTo(run.sessionId, run.number);
    const said = memory.find(({ turn, kind }) => turn === run.number && kind === 'user');
    return said ? userStep(said).text : null;
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
    await this.sinks.tellStatus(em, turn, error ? 'failed' : 'completed');
  }
}

function provenanceOf({ error, llmCalls, toolCalls }: Run): Provenance {
  const usedLlmInternally = llmCalls > 0;
  if (error) return { kind: 'fallback', usedLlmInternally };
  return { kind: toolCalls > 0 ? 'mixed' : 'llm', usedLlmInternally };
}
