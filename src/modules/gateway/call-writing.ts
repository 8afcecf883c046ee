import { Injectable } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import { SYSTEM } from '../../kernel/actor.js';
import { Database } from '../../platform/database/database.js';
import { asOutageIfTooLate, databaseErrors, isOutage } from '../../platform/database/database.errors.js';
import { Log } from '../../platform/telemetry/log.js';
import { addSpan } from '../../platform/telemetry/tracing.js';
import { LedgerWriting } from '../ledger/write/ledger-writing.service.js';
import { Observing, type Report } from '../traces/observing.service.js';
import { GatewayMetrics } from './gateway-metrics.js';
import { type CallOrigin, type CallRecord, toMadeCall } from './call-record.js';

/**
 * Two writers commit at the same time. With more of them, each commit would have fewer calls, and there would be more
 * commits.
 */
const WRITERS = 2;
const MAX_BATCH = 100;

interface EndedCall {
  readonly report: Report;
  readonly isWritten: PromiseWithResolvers<void>;
}

/** The calls of one app that have ended and are not recorded yet, and the number of writers that record them. */
interface Queue {
  readonly origin: CallOrigin;
  readonly ended: EndedCall[];
  writers: number;
}

interface Outage {
  /** The error of the call that could not be recorded, by which a turn knows that it may wait. */
  readonly error: unknown;
  triedAt: number;
}

/**
 * Records calls when they have ended. The service itself is the actor, so a call is recorded even if its key was
 * revoked or its client left. Calls of an app that end during a write are recorded together by the next one, because a
 * commit takes as long for many calls as for one.
 */
@Injectable()
export class CallWriting {
  private readonly queues = new Map<string, Queue>();
  /** How long a project calls no further model after its ledger could not take a call. Tests shorten it. */
  retryMs = 2_000;
  /** The projects whose last call could not be recorded. */
  private readonly outages = new Map<string, Outage>();

  constructor(
    private readonly database: Database,
    private readonly observing: Observing,
    private readonly ledger: LedgerWriting,
    private readonly metrics: GatewayMetrics,
    private readonly log: Log,
  ) {}

  /**
   * Fails if the ledger could not take the last call of the project, before a further model is paid in vain. From time to
   * time one call is a trial, if the ledger can at least be read. A call that is recorded ends this.
   */
  async admit({ projectId }: CallOrigin): Promise<void> {
    const outage = this.outages.get(projectId);
    if (!outage) return;
    if (performance.now() - outage.triedAt < this.retryMs) throw databaseErrors.unavailable({ cause: outage.error });
    // The next call is no trial while this one waits for a database that hangs.
    outage.triedAt = Infinity;
    try {
      await this.database.apart(() => this.ledger.checkReachable(projectId));
    } catch (error) {
      throw asOutageIfTooLate(error);
    } finally {
      outage.triedAt = performance.now();
    }
  }

  /** Resolves after the call is committed to the ledger and to its trace. */
  async write(record: CallRecord, report: Report): Promise<void> {
    addSpan(() => modelSpan(report), record.startedAt, report.observed.status === 'failed');
    try {
      await this.record(record, report);
      this.outages.delete(record.origin.projectId);
    } catch (error) {
      this.noteUnwritten(record.origin, report, error);
      throw error;
    }
  }

  private async record({ origin, alongside }: CallRecord, report: Report): Promise<void> {
    if (!alongside) return this.enqueue(origin, report);
    const { projectId, appId = null } = origin;
    const written = await this.database.apart(() =>
      this.observing.record(SYSTEM, projectId, appId, [report], (tx, [observed]) =>
        alongside(tx, toMadeCall(report, observed!)),
      ),
    );
    this.metrics.count(written);
  }

  /** The provider may bill the call, and then only the log has it. */
  private noteUnwritten({ projectId }: CallOrigin, { call }: Report, error: unknown): void {
    if (isOutage(asOutageIfTooLate(error))) this.outages.set(projectId, { error, triedAt: performance.now() });
    const { callId, model, provider, status, inputTokens, completionTokens, reasoningTokens } = call!;
    const tokens = { inputTokens, completionTokens, reasoningTokens };
    this.log.error(
      { projectId, callId, model, provider, status, ...tokens, err: error },
      'A call of a model is not in the ledger',
    );
  }

  private enqueue(origin: CallOrigin, report: Report): Promise<void> {
    const name = `${origin.projectId} ${origin.appId}`;
    const queue = this.queues.get(name) ?? { origin, ended: [], writers: 0 };
    this.queues.set(name, queue);
    const isWritten = Promise.withResolvers<void>();
    queue.ended.push({ report, isWritten });
    if (queue.writers < WRITERS) void this.drain(name, queue);
    return isWritten.promise;
  }

  private async drain(name: string, queue: Queue): Promise<void> {
    queue.writers += 1;
    while (queue.ended.length > 0) await this.writeBatch(queue.origin, queue.ended.splice(0, MAX_BATCH));
    queue.writers -= 1;
    if (queue.writers === 0) this.queues.delete(name);
  }

  /**
   * If a commit fails, its halves are written one after the other, so that one bad call does not cost the others. A second
   * outage fails all that is left, because each further commit might have to wait as long.
   */
  private async writeBatch(origin: CallOrigin, batch: readonly EndedCall[]): Promise<void> {
    const parts = [batch];
    let outages = 0;
    for (let part = parts.shift(); part; part = parts.shift()) {
      try {
        await this.commit(origin, part);
      } catch (error) {
        if (isOutage(asOutageIfTooLate(error))) outages += 1;
        if (outages > 1) fail([part, ...parts.splice(0)].flat(), error);
        else if (part.length === 1) fail(part, error);
        else parts.unshift(...halvesOf(part));
      }
    }
  }

  private async commit(origin: CallOrigin, calls: readonly EndedCall[]): Promise<void> {
    const { projectId, appId = null } = origin;
    const reports = calls.map(({ report }) => report);
    this.metrics.count(await this.database.apart(() => this.observing.recordOwn(projectId, appId, reports)));
    for (const { isWritten } of calls) isWritten.resolve();
  }
}

function fail(calls: readonly EndedCall[], error: unknown): void {
  for (const { isWritten } of calls) isWritten.reject(error);
}

function halvesOf(calls: readonly EndedCall[]): EndedCall[][] {
  const half = Math.ceil(calls.length / 2);
  return [calls.slice(0, half), calls.slice(half)];
}

/** Describes a call as the conventions of OpenTelemetry for generative AI do. */
function modelSpan({ call }: Report) {
  const { model, provider, inputTokens, completionTokens, reasoningTokens, callId } = call!;
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': completionTokens + reasoningTokens,
    'slipway.call.id': callId,
  };
  return { name: `chat ${model}`, kind: SpanKind.CLIENT, attributes };
}
