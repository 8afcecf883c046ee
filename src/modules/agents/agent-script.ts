import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { shortened } from '../../kernel/shortened.js';
import { Database } from '../../platform/database/database.js';
import type { Statement } from '../../platform/database/statement.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { Jobs } from '../../platform/queue/jobs.js';
import { Log } from '../../platform/telemetry/log.js';
import { MOCK, taskPrompt } from '../gateway/gateway.port.js';
import { Gateway } from '../gateway/gateway.service.js';
import { type Memory, SessionMemory } from '../sessions/memory/session-memory.service.js';
import type { SessionRow } from '../sessions/session.entity.js';
import { ConversationScript, type Farewell, type ProfileState, type Welcome } from '../sessions/sessions.port.js';
import { ActivationRepository, welcomeOf } from './definitions/activation.repository.js';
import { AgentRunRepository } from './runs/agent-run.repository.js';
import { type AnsweringVersion, modelNameOf } from './definitions/agent.entity.js';
import { AgentVersionRepository } from './definitions/agent-version.repository.js';
import { transcriptOf, turnsIn } from './turns/prompt.js';
import { SignIns } from './sign-in/sign-in.service.js';
import { answerStep, userStep } from './turns/steps.js';
import { SESSION_ENDED } from './turns/turn.js';

const GOODBYE = 'Thank you. This conversation has ended.';
const SUMMARY_MS = 15_000;
const MAX_SUMMARY_TOKENS = 300;
const MAX_TRANSCRIPT = 60_000;
const MAX_QUOTE = 300;

const SUMMARIZE =
  'Summarize in two or three sentences what this conversation was about and how it ended. Answer with the summary alone.';

/** Provides what the agent of an environment says at the beginning and at the end of sessions. */
@Injectable()
export class AgentScript extends ConversationScript {
  constructor(
    private readonly database: Database,
    private readonly activations: ActivationRepository,
    private readonly versions: AgentVersionRepository,
    private readonly runs: AgentRunRepository,
    private readonly jobs: Jobs,
    private readonly gateway: Gateway,
    private readonly signIns: SignIns,
    private readonly memory: SessionMemory,
    private readonly log: Log,
  ) {
    super();
  }

  welcome(appId: Id<'app'>, envName: string): Statement<Welcome> {
    return this.activations.activeAt(appId, envName).as(welcomeOf);
  }

  profiles(tx: Transaction, session: SessionRow): Promise<ProfileState[]> {
    return this.signIns.statesFor(tx, session);
  }

  async onEnded(tx: Transaction, { id }: SessionRow): Promise<void> {
    const unfinished = await tx.ask(this.runs.unfinished(id));
    for (const { jobId } of unfinished) await this.jobs.cancel(tx, jobId, SESSION_ENDED.code);
  }

  async farewell(session: SessionRow, memory: readonly Memory[]): Promise<Farewell> {
    const version = session.appVersionId && (await this.database.ask(this.versions.answering(session.appVersionId)));
    const summary = version ? await this.summary(session, version, memory) : extractOf(memory);
    return { message: GOODBYE, summary };
  }

  /** Asks the agent's model for a summary. Without a model, or if it fails, the summary is an extract of the memory. */
  private async summary(session: SessionRow, version: AnsweringVersion, memory: readonly Memory[]): Promise<string> {
    const text = transcriptOf(memory).slice(-MAX_TRANSCRIPT);
    const modelName = modelNameOf(version);
    if (text === '' || modelName === MOCK) return extractOf(memory);
    try {
      const request = {
        prompt: taskPrompt(SUMMARIZE, text),
        maxOutputTokens: MAX_SUMMARY_TOKENS,
        abortSignal: AbortSignal.timeout(SUMMARY_MS),
      };
      const { answer } = await this.gateway.generate(originOf(session, version), modelName, request, (tx, call) =>
        this.memory.addCall(tx, session.id, call),
      );
      return answer.text || extractOf(memory);
    } catch (error) {
      this.log.warn(
        { err: error, sessionId: session.id },
        'The model did not summarize a session, so its summary quotes the conversation',
      );
      return extractOf(memory);
    }
  }
}

function originOf(session: SessionRow, version: AnsweringVersion) {
  return {
    projectId: session.projectId,
    appId: session.appId,
    agentName: version.agentName,
    environment: session.environment,
    sessionId: session.id,
    sourceId: version.agentId,
    source: 'runtime',
    sourceSubtype: 'conversation_history_compaction',
  };
}

/** Quotes the first question and the last answer. */
function extractOf(memory: readonly Memory[]): string {
  const turns = turnsIn(memory);
  const first = turns[0]?.find(({ kind }) => kind === 'user');
  const last = turns.at(-1)?.find(({ kind }) => kind === 'answer');
  const earlier = memory.find(({ kind }) => kind === 'summary')?.content;
  const parts = [
    ...(earlier ? [earlier] : []),
    ...(first ? [`The user said: ${shortened(userStep(first).text, MAX_QUOTE)}`] : []),
    ...(last ? [`The last answer was: ${shortened(answerStep(last).text, MAX_QUOTE)}`] : []),
  ];
  return parts.join(' ');
}
