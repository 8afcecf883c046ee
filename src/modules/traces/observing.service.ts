import type { Transaction } from '../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import { type Actor, SYSTEM } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { shortened } from '../../kernel/shortened.js';
import { Database } from '../../platform/database/database.js';
import { type CallToWrite, LedgerWriting } from '../ledger/write/ledger-writing.service.js';
import { Prices, type Pricer } from '../ledger/prices/prices.service.js';
import type { Generation, Observed } from './observed.js';
import { shortenedMessages } from './shortened-messages.js';
import { TracesService } from './traces.service.js';

/** An observation is for reading: the whole of a call is in the ledger's payload. */
const MAX_TEXT = 100_000;

/** A call of a model, as a row of the ledger but for what its observation says already. */
export interface ObservedCall extends Omit<CallToWrite, 'timestamp' | 'traceId' | 'sessionId'> {
  model: string;
  provider: string;
  inputTokens: number;
  cachedTokens: number;
  completionTokens: number;
  reasoningTokens: number;
}

/** Something that ran: an observation, and of a call of a model a row of the ledger too. */
export interface Report {
  observed: Omit<Observed, 'generation'>;
  call: ObservedCall | null;
  /** Its trace begins with it: nobody else can have said its session. */
  startsTrace: boolean;
}

export type { Observed } from './observed.js';

/**
 * Done in the transaction that writes down what ran: both are kept, or neither is. False where nothing of what was said
 * may be kept any more, but only what it took.
 */
export type Alongside = (tx: Transaction, observed: readonly Observed[]) => Promise<boolean>;

/** The one way by which what ran comes into a trace, and every call of a model into the ledger with it. */
@Injectable()
export class Observing {
  constructor(
    private readonly database: Database,
    private readonly traces: TracesService,
    private readonly ledger: LedgerWriting,
    private readonly prices: Prices,
  ) {}

  /** All of them or none; what was taken before changes nothing. */
  async take(
    actor: Actor,
    projectId: Id<'project'>,
    appId: Id<'app'> | null,
    reports: readonly Report[],
    alongside?: Alongside,
  ): Promise<void> {
    await this.database.transaction(actor, async (tx) => {
      const { pricer, observed } = await this.observe(projectId, reports);
      // The session, which this may hold, before the trace: whoever ends a session ends the traces in it.
      const isKept = (await alongside?.(tx, observed)) ?? true;
      if (!isKept) {
        const calls = reports.flatMap((report) => toCalls(report, NO_SESSIONS));
        return this.ledger.write(projectId, calls.map(withoutTexts), pricer, []);
      }
      if (!reports.some(asksForSession)) return this.write(projectId, appId, reports, observed, pricer);
      const sessions = await tx.ask(this.traces.recording(projectId, appId, observed));
      const calls = reports.flatMap((report) => toCalls(report, sessions));
      return this.ledger.write(projectId, calls, pricer, []);
    });
  }

  /** What the service itself observed: no key is to be held, so that one statement writes it, and is its transaction. */
  async takeOwn(projectId: Id<'project'>, appId: Id<'app'> | null, reports: readonly Report[]): Promise<void> {
    if (reports.some(asksForSession)) return this.take(SYSTEM, projectId, appId, reports);
    const { pricer, observed } = await this.observe(projectId, reports);
    await this.write(projectId, appId, reports, observed, pricer);
  }

  private async observe(projectId: Id<'project'>, reports: readonly Report[]) {
    const { pricer, payloads } = await this.database.ask(this.prices.pricerAndPolicy(projectId));
    const keeps = payloads !== 'drop';
    return { pricer, observed: reports.map((report) => toObserved(report, generationOf(report, pricer), keeps)) };
  }

  /** The calls and their traces in one statement, where no call asks for its session. */
  private write(
    projectId: Id<'project'>,
    appId: Id<'app'> | null,
    reports: readonly Report[],
    observed: readonly Observed[],
    pricer: Pricer,
  ): Promise<void> {
    const calls = reports.flatMap((report) => toCalls(report, NO_SESSIONS));
    return this.ledger.write(projectId, calls, pricer, this.traces.writes(projectId, appId, observed));
  }
}

const NO_SESSIONS: ReadonlyMap<string, string> = new Map();

function asksForSession({ call, observed, startsTrace }: Report): boolean {
  return call !== null && observed.sessionId === '' && !startsTrace;
}

function generationOf({ call }: Report, pricer: Pricer): Generation | null {
  if (!call) return null;
  const { model, provider, inputTokens, completionTokens, reasoningTokens } = call;
  const cost = call.cost ?? pricer(call).amount;
  return { model, provider, inputTokens, outputTokens: completionTokens + reasoningTokens, cost };
}

/** What the ledger does not keep of a call, its observation does not either. */
function toObserved({ observed }: Report, generation: Generation | null, keepsPayloads: boolean): Observed {
  const kept = (text: string | null, shorten: typeof shortened) =>
    text === null || (generation && !keepsPayloads) ? null : shorten(text, MAX_TEXT);
  return {
    ...observed,
    name: shortened(observed.name, 256),
    statusMessage: shortened(observed.statusMessage, 1_000),
    input: kept(observed.input, generation ? shortenedMessages : shortened),
    output: kept(observed.output, shortened),
    generation,
  };
}

/** What it took and cost stays when its session has been erased. */
function withoutTexts({ payload: _, ...call }: CallToWrite): CallToWrite {
  return call;
}

/** As the ledger takes them: a row for a call of a model, none for anything else. */
function toCalls({ call, observed }: Report, sessions: ReadonlyMap<string, string>): CallToWrite[] {
  if (!call) return [];
  const { traceId, startedAt, sessionId } = observed;
  return [{ ...call, traceId, timestamp: startedAt, sessionId: sessionId || (sessions.get(traceId) ?? '') }];
}
