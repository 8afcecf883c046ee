import { Injectable } from '@nestjs/common';
import { type KeyActor, SYSTEM } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import { SlipwayError } from '../../kernel/errors.js';
import { type Id, toId } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { idempotencyErrors } from '../../platform/idempotency/idempotency.errors.js';
import { Jobs } from '../../platform/queue/jobs.js';
import { Notices } from '../../platform/redis/notices.js';
import { SessionMemory } from '../sessions/session-memory.service.js';
import { identityOf, type SeenSession } from '../sessions/session-views.port.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { Places } from '../tenancy/places.service.js';
import { agentsErrors } from './agents.errors.js';
import { isOver, type Run } from './run.js';
import { RunStore } from './run-store.js';
import type { StartRun } from './runs.schema.js';
import { type AnswerStep, answerStep } from './steps.js';
import { CLIENT_LEFT, topicOf } from './turn.js';
import { Turns } from './turns.service.js';

/** A notice can be lost; the row cannot. */
const LOOK_EVERY_MS = 500;
/** Whoever waits longer is told how far it is, and asks again. */
const LONGEST_WAIT_MS = 110_000;
const ASK_AGAIN_SECONDS = 2;

/** What is told while a run is at work. */
export type RunNotice = { type: 'delta'; content: string } | { type: 'done' };

export interface StartedRun {
  runId: Id<'run'>;
  /** What the agent says first in a new session. */
  welcome: string | null;
}

export interface RunSeen {
  run: Run;
  session: SeenSession;
  /** Null while there is none. */
  answer: AnswerStep | null;
  welcome: string | null;
}

/** Runs whose caller waits for the answer. When nobody waits or will ask any more, they are broken off. */
@Injectable()
export class RunsService {
  constructor(
    private readonly database: Database,
    private readonly places: Places,
    private readonly sessions: SessionsService,
    private readonly memory: SessionMemory,
    private readonly turns: Turns,
    private readonly runs: RunStore,
    private readonly jobs: Jobs,
    private readonly notices: Notices,
  ) {}

  async start(
    actor: KeyActor,
    appId: Id<'app'>,
    envName: string,
    { sessionIdentity, input, attachments, source, stream }: StartRun,
  ): Promise<StartedRun> {
    return this.database.transaction(actor, async (em) => {
      const { runId, sessionId, welcome } = await this.turns.add(em, appId, envName, {
        identity: identityOf(sessionIdentity),
        input,
        attachments: attachments.map((each) => toId('file', each)),
        source,
        channel: 'api',
        sink: null,
        isStreamed: stream,
      });
      await this.sessions.checkAttached(sessionId, attachments);
      return { runId, welcome };
    });
  }

  /** As it is when it is over, or when it has taken too long to wait for. */
  async answer({ runId, welcome }: StartedRun, signal: AbortSignal, isAskedAgain: boolean): Promise<RunSeen> {
    for await (const _ of this.follow(runId, signal, isAskedAgain));
    return this.see(runId, welcome);
  }

  /** The same for the same request, sent again: refused as long as the first one may still be waiting. */
  async again({ runId, welcome }: StartedRun): Promise<RunSeen> {
    const seen = await this.see(runId, welcome);
    const hasWaited = clock.now().getTime() > seen.run.createdAt.getTime() + LONGEST_WAIT_MS;
    if (!isOver(seen.run) && !hasWaited) throw idempotencyErrors.inProgress({ retryAfter: ASK_AGAIN_SECONDS });
    return seen;
  }

  /** What is told of it until it is over. Whoever will ask again may go away meanwhile; without a good key nobody will. */
  async *follow(runId: Id<'run'>, signal: AbortSignal, isAskedAgain = false): AsyncGenerator<RunNotice> {
    const heard = new Mailbox<RunNotice>();
    const stop = this.notices.hear(topicOf({ runId }), (message) => heard.put(message as RunNotice));
    const until = clock.now().getTime() + LONGEST_WAIT_MS;
    try {
      for (;;) {
        if (isOver(await this.find(runId))) {
          yield* heard.all().filter(({ type }) => type !== 'done');
          return;
        }
        if (clock.now().getTime() > until) return;
        await heard.something(LOOK_EVERY_MS, signal);
        signal.throwIfAborted();
        yield* heard.all().filter(({ type }) => type !== 'done');
      }
    } catch (error) {
      const isRevoked = signal.reason instanceof SlipwayError;
      if (signal.aborted && (isRevoked || !isAskedAgain)) await this.breakOff(runId);
      throw error;
    } finally {
      stop();
    }
  }

  async see(runId: Id<'run'>, welcome: string | null = null): Promise<RunSeen> {
    const run = await this.find(runId);
    const [memory, session] = await Promise.all([
      this.memory.ofTurn(run.sessionId, run.number),
      this.sessions.see(run.sessionId),
    ]);
    const last = memory.at(-1);
    return { run, answer: last?.kind === 'answer' ? answerStep(last) : null, welcome, session };
  }

  async readIn(appId: Id<'app'>, envName: string, runId: Id<'run'>): Promise<RunSeen> {
    const { environment } = await this.places.of(appId, envName);
    const run = await this.runs.find(runId);
    if (!run || run.appId !== appId || run.environment !== environment) throw agentsErrors.runNotFound();
    return this.see(runId);
  }

  private async find(runId: Id<'run'>): Promise<Run> {
    const run = await this.runs.find(runId);
    if (!run) throw agentsErrors.runNotFound();
    return run;
  }

  private async breakOff(runId: Id<'run'>): Promise<void> {
    await this.database.apart(() =>
      this.database.transaction(SYSTEM, async (em) => {
        const run = await this.runs.find(runId);
        if (!run) return;
        await this.sessions.hold(em, run.sessionId);
        await this.jobs.cancel(em, run.jobId, CLIENT_LEFT.code);
      }),
    );
  }
}

/** What arrived and nobody has looked at yet. */
class Mailbox<Letter> {
  private letters: Letter[] = [];
  private wake: (() => void) | undefined;

  put(letter: Letter): void {
    this.letters.push(letter);
    this.wake?.();
  }

  all(): Letter[] {
    return this.letters.splice(0);
  }

  /** Resolves when there is something, when the time is over, or when nobody wants it any more. */
  async something(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.letters.length > 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      signal.addEventListener('abort', done, { once: true });
      this.wake = done;
    });
  }
}
