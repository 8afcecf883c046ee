import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { shortened } from '../../kernel/shortened.js';
import { Jobs } from '../../platform/queue/jobs.js';
import { Log } from '../../platform/telemetry/log.js';
import { MOCK, taskPrompt } from '../gateway/gateway.port.js';
import { Gateway } from '../gateway/gateway.service.js';
import { SessionTotals } from '../sessions/session-totals.service.js';
import type { Memory } from '../sessions/session-memory.service.js';
import {
  ConversationScript,
  type Farewell,
  type ProfileState,
  type Session,
  type Welcome,
} from '../sessions/sessions.port.js';
import { ActiveVersions, welcomeOf } from './active-versions.js';
import { modelNameOf } from './agent.entity.js';
import { transcriptOf, turnsIn } from './prompt.js';
import { RunStore } from './run-store.js';
import { SignIns } from './sign-in.service.js';
import { answerStep, userStep } from './steps.js';
import { SESSION_ENDED } from './turn.js';
import { type Version, Versions } from './versions.js';

const GOODBYE = 'Thank you. This conversation has ended.';
const SUMMARY_MS = 15_000;
const MAX_SUMMARY_TOKENS = 300;
const MAX_TRANSCRIPT = 60_000;
const MAX_QUOTE = 300;

const SUMMARIZE =
  'Put together in two or three sentences what this conversation was about and what came of it. Answer with the summary alone.';

/** What the agent of an environment says at the beginning and at the end of sessions. */
@Injectable()
export class AgentScript extends ConversationScript {
  constructor(
    private readonly activeVersions: ActiveVersions,
    private readonly versions: Versions,
    private readonly runs: RunStore,
    private readonly jobs: Jobs,
    private readonly gateway: Gateway,
    private readonly signIns: SignIns,
    private readonly totals: SessionTotals,
    private readonly log: Log,
  ) {
    super();
  }

  async welcome(appId: Id<'app'>, envName: string): Promise<Welcome> {
    return welcomeOf(await this.activeVersions.findAt(appId, envName));
  }

  profiles(em: EntityManager, session: Session): Promise<ProfileState[]> {
    return this.signIns.statesFor(em, session);
  }

  async onEnded(em: EntityManager, { id }: Session): Promise<void> {
    for (const { jobId } of await this.runs.alive(em, id)) await this.jobs.cancel(em, jobId, SESSION_ENDED.code);
  }

  async farewell(session: Session, memory: readonly Memory[]): Promise<Farewell> {
    const version = session.appVersionId && (await this.versions.find(session.appVersionId));
    const summary = version ? await this.summary(session, version, memory) : extractOf(memory);
    return { message: GOODBYE, summary };
  }

  /** By the agent's model; from what was said where it has none, or that fails. */
  private async summary(session: Session, version: Version, memory: readonly Memory[]): Promise<string> {
    const text = transcriptOf(memory).slice(-MAX_TRANSCRIPT);
    const modelName = modelNameOf(version);
    if (text === '' || modelName === MOCK) return extractOf(memory);
    try {
      const request = {
        prompt: taskPrompt(SUMMARIZE, text),
        maxOutputTokens: MAX_SUMMARY_TOKENS,
        abortSignal: AbortSignal.timeout(SUMMARY_MS),
      };
      const { said } = await this.gateway.generate(originOf(session, version), modelName, request, (em, call) =>
        this.totals.add(em, session.id, call),
      );
      return said.text || extractOf(memory);
    } catch (error) {
      this.log.warn({ err: error, sessionId: session.id }, 'The summary of a session is made without its model');
      return extractOf(memory);
    }
  }
}

function originOf(session: Session, version: Version) {
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

/** The first question and the last answer. */
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
