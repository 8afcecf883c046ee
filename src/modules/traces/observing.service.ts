import type { Transaction } from '../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import { type Actor, SYSTEM } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { shortened } from '../../kernel/shortened.js';
import { mapInSteps } from '../../kernel/turns.js';
import { Database } from '../../platform/database/database.js';
import { type CallToWrite, LedgerWriting } from '../ledger/write/ledger-writing.service.js';
import { Prices, type Pricer } from '../ledger/prices/prices.service.js';
import { areMany, type Generation, type Observed } from './observed.js';
import { latestMessages, shortenedMessages } from './shortened-messages.js';
import { TracesService } from './traces.service.js';

/** Texts of an observation are shortened to this length, because people read them. The ledger's payload is complete. */
const MAX_TEXT = 100_000;

/** A call of a model as a row of the ledger, without the members that are taken from its observation. */
export interface ObservedCall extends Omit<CallToWrite, 'timestamp' | 'traceId' | 'sessionId'> {
  model: string;
  provider: string;
  inputTokens: number;
  cachedTokens: number;
  completionTokens: number;
  reasoningTokens: number;
}

/** Writes the messages of a call as the input of its observation, which has only the latest ones. */
export function inputOfMessages(messages: readonly unknown[]): string {
  return latestMessages(messages, MAX_TEXT);
}

/** Something that ran: an observation and, if it is a call of a model, the row of the ledger. */
export interface Report {
  observed: Omit<Observed, 'generation'>;
  call: ObservedCall | null;
  /** True if the trace begins with this observation. No earlier one can have named a session then. */
  startsTrace: boolean;
}

export type { Observed } from './observed.js';

/**
 * A callback in the transaction that records what ran, so that the effects of both are committed together. It returns
 * false if texts must not be kept any more, because the session was erased. Only tokens and cost are recorded then.
 */
export type Alongside = (tx: Transaction, observed: readonly Observed[]) => Promise<boolean>;

/** Observations of reports, with the prices of their calls. */
interface Priced {
  pricer: Pricer;
  observed: readonly Observed[];
}

/** Records what ran in traces, and each call of a model in the ledger as well. */
@Injectable()
export class Observing {
  constructor(
    private readonly database: Database,
    private readonly traces: TracesService,
    private readonly ledger: LedgerWriting,
    private readonly prices: Prices,
  ) {}

  /** Records all reports or none. Observations that are known already change nothing. */
  async record(
    actor: Actor,
    projectId: Id<'project'>,
    appId: Id<'app'> | null,
    reports: readonly Report[],
    alongside?: Alongside,
  ): Promise<readonly Observed[]> {
    // The texts of many observations take long to shorten, so no transaction is open meanwhile.
    return this.recordObserved(actor, projectId, appId, reports, await this.observe(projectId, reports), alongside);
  }

  private recordObserved(
    actor: Actor,
    projectId: Id<'project'>,
    appId: Id<'app'> | null,
    reports: readonly Report[],
    { pricer, observed }: Priced,
    alongside?: Alongside,
  ): Promise<readonly Observed[]> {
    return this.database.transaction(actor, async (tx) => {
      const callsIn = (sessions: ReadonlyMap<string, string>) =>
        reports.flatMap((report) => toCalls(report, appId, sessions));
      // The callback may lock the session, so it runs before the trace is locked. Erasing a session takes the locks in
      // that order.
      const isKept = (await alongside?.(tx, observed)) ?? true;
      if (!isKept) {
        await this.ledger.write(projectId, callsIn(NO_SESSIONS).map(withoutTexts), pricer, []);
      } else if (areMany(observed) || reports.some(needsSession)) {
        const sessions = await this.traces.recordInParts(tx, projectId, appId, observed);
        await this.ledger.write(projectId, callsIn(sessions), pricer, []);
      } else {
        await this.write(projectId, appId, reports, observed, pricer);
      }
      return observed;
    });
  }

  /**
   * Records what Slipway itself observed. No key has to be locked, so a single statement without a transaction
   * suffices, unless the observations are too long for one.
   */
  async recordOwn(
    projectId: Id<'project'>,
    appId: Id<'app'> | null,
    reports: readonly Report[],
  ): Promise<readonly Observed[]> {
    const priced = await this.observe(projectId, reports);
    const { pricer, observed } = priced;
    if (areMany(observed) || reports.some(needsSession))
      return this.recordObserved(SYSTEM, projectId, appId, reports, priced);
    await this.write(projectId, appId, reports, observed, pricer);
    return observed;
  }

  private async observe(projectId: Id<'project'>, reports: readonly Report[]): Promise<Priced> {
    const { pricer, payloads } = await this.database.ask(this.prices.pricerAndPolicy(projectId));
    const keeps = payloads !== 'drop';
    const observed = await mapInSteps(reports, (report) => toObserved(report, generationOf(report, pricer), keeps));
    return { pricer, observed };
  }

  /** Writes calls and their traces in one statement. This is possible if no call needs the session of its trace. */
  private write(
    projectId: Id<'project'>,
    appId: Id<'app'> | null,
    reports: readonly Report[],
    observed: readonly Observed[],
    pricer: Pricer,
  ): Promise<void> {
    const calls = reports.flatMap((report) => toCalls(report, appId, NO_SESSIONS));
    return this.ledger.write(projectId, calls, pricer, this.traces.writes(projectId, appId, observed));
  }
}

const NO_SESSIONS: ReadonlyMap<string, string> = new Map();

function needsSession({ call, observed, startsTrace }: Report): boolean {
  return call !== null && observed.sessionId === '' && !startsTrace;
}

function generationOf({ call }: Report, pricer: Pricer): Generation | null {
  if (!call) return null;
  const { model, provider, inputTokens, completionTokens, reasoningTokens } = call;
  const cost = call.cost ?? pricer(call).amount;
  return { model, provider, inputTokens, outputTokens: completionTokens + reasoningTokens, cost };
}

/** The policy for payloads also applies to the texts of observations of model calls. */
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

/** After its session was erased, a call keeps tokens and cost, but no texts. */
function withoutTexts({ payload: _, ...call }: CallToWrite): CallToWrite {
  return call;
}

/**
 * Returns the ledger row of a model call, or nothing for any other observation. A call of no app, such as the test of a
 * connection, names no trace, because traces are read by their app.
 */
function toCalls(
  { call, observed }: Report,
  appId: Id<'app'> | null,
  sessions: ReadonlyMap<string, string>,
): CallToWrite[] {
  if (!call) return [];
  const { startedAt, sessionId } = observed;
  const traceId = appId === null ? '' : observed.traceId;
  return [{ ...call, traceId, timestamp: startedAt, sessionId: sessionId || (sessions.get(observed.traceId) ?? '') }];
}
