import { Injectable } from '@nestjs/common';
import { SlipwayError } from '../../kernel/errors.js';
import type { Id } from '../../kernel/ids.js';
import { withRetries } from '../../kernel/retries.js';
import { giveWayAfterStep } from '../../kernel/turns.js';
import { Settings } from '../../platform/config/settings.js';
import { Breakers } from './breakers.js';
import {
  type Alongside,
  type CallOrigin,
  CallRecord,
  type ModelAnswer,
  answerIn,
  AnswerBuilder,
} from './call-record.js';
import { CallWriting } from './call-writing.js';
import { gatewayErrors } from './gateway.errors.js';
import type { FinishReason, ListedModel, ModelPart, ModelRequest, ModelResult, ModelUsage } from './gateway.port.js';
import { ANSWERED, failureOf, ModelFailure, NO_ANSWER, unsupported } from './model-failure.js';
import { ModelTargets } from './model-targets.js';
import { partsOf } from './stream-parts.js';

const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 250;
/**
 * If a provider asks for a longer pause, the call is not repeated. The caller gets the error with the pause instead.
 */
const MAX_PAUSE_MS = 5_000;

export interface Generated {
  call: CallRecord;
  answer: ModelAnswer;
  finishReason: FinishReason;
  usage: ModelUsage;
}

export interface Streamed {
  call: CallRecord;
  /**
   * Ends when the answer is complete and recorded in the ledger. Throws if the answer stays incomplete, or if the call
   * was aborted before the first part was read.
   */
  parts: AsyncGenerator<ModelPart, void>;
}

type TimedRequest = ModelRequest & { abortSignal: AbortSignal };

export type { Alongside, CallOrigin, MadeCall } from './call-record.js';

/** Whether the error says that the model does not support what the request asks of it. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof SlipwayError && error.spec === gatewayErrors.requestNotTaken.spec;
}

/**
 * Whether the same call may succeed later: the provider is away, fails, or takes no more requests. Returns the seconds
 * until then if they are known, otherwise zero; undefined for any other error.
 */
export function passesAfter(error: unknown): number | undefined {
  if (!(error instanceof SlipwayError)) return undefined;
  const { spec, cause, extras } = error;
  const isPassing =
    spec === gatewayErrors.modelUnavailable.spec || (cause instanceof ModelFailure && cause.isTransient);
  return isPassing ? (extras.retryAfter ?? 0) : undefined;
}

/** Whether the same call would fail again: the model or its provider is gone, or does not support the request. */
export function isPermanent(error: unknown): boolean {
  return error instanceof SlipwayError && error.spec.status < 500;
}

/**
 * Calls models of every provider. All modules call models through it, so that every call is one row of the ledger and
 * one observation of its trace, even if it fails.
 */
@Injectable()
export class Gateway {
  constructor(
    private readonly targets: ModelTargets,
    private readonly breakers: Breakers,
    private readonly writing: CallWriting,
    private readonly settings: Settings,
  ) {}

  models(projectId: Id<'project'>): Promise<ListedModel[]> {
    return this.targets.list(projectId);
  }

  /** Returns the model, or throws an error that says why it cannot be called. */
  model(projectId: Id<'project'>, named: string): Promise<ListedModel> {
    return this.targets.find(projectId, named);
  }

  /** Throws an error if the project has no model of that name. A model that cannot be called now is accepted. */
  async checkKnown(projectId: Id<'project'>, named: string): Promise<void> {
    await this.targets.find(projectId, named).catch((error: unknown) => {
      if (!(error instanceof SlipwayError) || error.spec === gatewayErrors.modelNotFound.spec) throw error;
    });
  }

  async generate(origin: CallOrigin, named: string, request: ModelRequest, alongside?: Alongside): Promise<Generated> {
    const call = await this.begin(origin, named, request, false, alongside);
    const timed = this.timed(request);
    const result = await this.recordingFailure(call, timed, () =>
      completeResult(call.model.protocol.doGenerate(timed)),
    );
    const answer = answerIn(result.content);
    await this.succeed(call, result.usage, answer);
    return { call, answer, usage: result.usage, finishReason: result.finishReason.unified };
  }

  /** Resolves when the model begins to answer. Until then, a failed call is repeated. */
  async stream(origin: CallOrigin, named: string, request: ModelRequest, alongside?: Alongside): Promise<Streamed> {
    const call = await this.begin(origin, named, request, true, alongside);
    const timed = this.timed(request);
    const parts = await this.recordingFailure(call, timed, async () => {
      const { stream } = await call.model.protocol.doStream(timed);
      return partsOf(stream);
    });
    return { call, parts: this.recordedEvenIfUnread(call, parts, timed.abortSignal) };
  }

  private async begin(
    origin: CallOrigin,
    named: string,
    request: ModelRequest,
    isStream: boolean,
    alongside: Alongside | undefined,
  ): Promise<CallRecord> {
    const model = await this.targets.find(origin.projectId, named);
    const reason = model.refusalOf(request);
    if (reason !== undefined) throw unsupported(reason);
    await this.writing.admit(origin);
    this.breakers.admit(model.id);
    return new CallRecord(origin, model, request, isStream, alongside);
  }

  /** All attempts of a call together share the timeout of one call. */
  private timed(request: ModelRequest): TimedRequest {
    const timeout = AbortSignal.timeout(this.settings.MODEL_TIMEOUT_SECONDS * 1000);
    return { ...request, abortSignal: request.abortSignal ? AbortSignal.any([request.abortSignal, timeout]) : timeout };
  }

  /** Runs attempts of a call, and records the failure of the last one. */
  private async recordingFailure<T>(
    call: CallRecord,
    { abortSignal }: TimedRequest,
    attempt: () => Promise<T>,
  ): Promise<T> {
    try {
      return await withAttempts(attempt, abortSignal);
    } catch (error) {
      throw await this.fail(call, error, null);
    }
  }

  /**
   * A generator that nothing reads never runs, and would not record its call. The client of a request may leave before
   * the answer is read, so the signal then begins and ends the generator. A later reader gets the reason.
   */
  private recordedEvenIfUnread(
    call: CallRecord,
    parts: AsyncIterable<ModelPart>,
    signal: AbortSignal,
  ): AsyncGenerator<ModelPart, void> {
    const read = new AbortController();
    const recorded = this.recordedParts(call, parts);
    let ended: Promise<void> | undefined;
    const endUnread = () => {
      ended = this.endUnread(recorded);
    };
    if (signal.aborted) endUnread();
    else signal.addEventListener('abort', endUnread, { once: true, signal: read.signal });
    return (async function* () {
      await ended;
      if (ended) throw abortOf(call, signal);
      read.abort();
      yield* recorded;
    })();
  }

  /** The reader of such a call has left, and a call that cannot be recorded is in the log already. */
  private async endUnread(recorded: AsyncGenerator<ModelPart, void>): Promise<void> {
    await Promise.allSettled([recorded.next(), recorded.return()]);
  }

  /** Yields the parts as they arrive. The call is recorded when they end, or when the consumer stops reading. */
  private async *recordedParts(call: CallRecord, parts: AsyncIterable<ModelPart>): AsyncGenerator<ModelPart, void> {
    const builder = new AnswerBuilder();
    let isOpen = true;
    try {
      for await (const part of withFailureAsPart(parts)) {
        if (part instanceof ModelFailure) {
          isOpen = false;
          throw await this.fail(call, part, builder.answer);
        }
        if (builder.add(part)) call.noteFirstToken();
        if (part.type === 'finish') {
          isOpen = false;
          await this.succeed(call, part.usage, builder.answer);
        }
        // A fast provider may send hundreds of parts at once, and other requests would wait for all of them.
        await giveWayAfterStep();
        yield part;
      }
    } finally {
      if (isOpen) await this.writing.write(call, await call.abandoned(builder.answer));
    }
  }

  private async succeed(call: CallRecord, usage: ModelUsage, answer: ModelAnswer): Promise<void> {
    this.breakers.succeeded(call.model.id);
    await this.writing.write(call, await call.succeeded(usage, answer));
  }

  /** Records the failed call, and returns the error for the caller. An unsupported request is not recorded. */
  private async fail(call: CallRecord, error: unknown, answer: ModelAnswer | null): Promise<unknown> {
    const { abortSignal } = call.request;
    if (abortSignal?.aborted) {
      await this.writing.write(call, await call.abandoned(answer));
      return abortSignal.reason;
    }
    const failure = failureOf(error);
    if (!failure.isSupported) return failure.toRefusal();
    this.breakers.failed(call.model.id, failure);
    await this.writing.write(call, await call.failed(failure, answer));
    return failure.toRefusal();
  }
}

/**
 * Throws if the result gives no reason why the model stopped. Only something that is not an answer of a model lacks it.
 */
async function completeResult(result: PromiseLike<ModelResult>): Promise<ModelResult> {
  const answer = await result;
  if (answer.finishReason.raw === undefined) throw new ModelFailure(NO_ANSWER, { providerStatus: ANSWERED });
  return answer;
}

/** Returns the error for the reader of an aborted call. Its caller gave the reason, unless the time was up. */
function abortOf({ request: { abortSignal } }: CallRecord, signal: AbortSignal): unknown {
  return abortSignal?.aborted ? abortSignal.reason : failureOf(signal.reason).toRefusal();
}

/** Yields a failure of the stream as its last part, which distinguishes it from an error of the stream's consumer. */
async function* withFailureAsPart(parts: AsyncIterable<ModelPart>): AsyncGenerator<ModelPart | ModelFailure> {
  try {
    yield* parts;
  } catch (error) {
    yield failureOf(error);
  }
}

/**
 * Repeats a call after transient failures, with random pauses so that many callers do not retry at once. Throws the
 * last failure. The signal ends the attempts and the pauses.
 */
function withAttempts<T>(call: () => PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const attempt = async () => {
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(error);
    }
  };
  return withRetries(attempt, pauseAfter, signal);
}

function pauseAfter(failure: unknown, attempt: number): number | undefined {
  if (!(failure instanceof ModelFailure) || !failure.isTransient || attempt === ATTEMPTS) return undefined;
  const { retryAfterSeconds } = failure;
  const jitter = Math.random() * FIRST_PAUSE_MS * 2 ** (attempt - 1);
  const pauseMs = retryAfterSeconds === undefined ? FIRST_PAUSE_MS / 2 + jitter : retryAfterSeconds * 1000 + jitter;
  return pauseMs > MAX_PAUSE_MS ? undefined : pauseMs;
}
