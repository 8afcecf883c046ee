import { Injectable } from '@nestjs/common';
import { SlipwayError } from '../../kernel/errors.js';
import type { Id } from '../../kernel/ids.js';
import { withRetries } from '../../kernel/retries.js';
import { Settings } from '../../platform/config/settings.js';
import { Breakers } from './breakers.js';
import { type Alongside, type CallOrigin, CallRecord, type Said, saidIn, Saying } from './call-record.js';
import { CallWriting } from './call-writing.js';
import { gatewayErrors } from './gateway.errors.js';
import type { FinishReason, ListedModel, ModelPart, ModelRequest, ModelResult, ModelUsage } from './gateway.port.js';
import { ANSWERED, CLIENT_LEFT, failureOf, ModelFailure, NO_ANSWER, notTaken } from './model-failure.js';
import { ModelTargets } from './model-targets.js';
import { partsOf } from './stream-parts.js';

const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 250;
/** A provider that asks for a longer pause is not asked again: whoever waits for the answer is told so instead. */
const LONGEST_PAUSE_MS = 5_000;

export interface Generated {
  call: CallRecord;
  said: Said;
  finishReason: FinishReason;
  usage: ModelUsage;
}

export interface Streamed {
  call: CallRecord;
  /** Ends when the answer is whole and in the ledger; throws when it stays half. */
  parts: AsyncGenerator<ModelPart, void>;
}

export type { Alongside, CallOrigin, MadeCall } from './call-record.js';

/** Whether a model that can be called does not take what this request asks of it. */
export function isNotTaken(error: unknown): boolean {
  return error instanceof SlipwayError && error.spec === gatewayErrors.requestNotTaken.spec;
}

/** Whether asking again changes nothing: the model or whoever has it is gone, or takes no such request. */
export function isLasting(error: unknown): boolean {
  return error instanceof SlipwayError && error.spec.status < 500;
}

/**
 * The one way to call a model, whoever provides it. Every call is one row of the ledger and one
 * observation of its trace, also one that fails.
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

  /** Refuses where it cannot be called. */
  model(projectId: Id<'project'>, named: string): Promise<ListedModel> {
    return this.targets.find(projectId, named);
  }

  /** Refuses where the project has no model of that name; one that cannot be called now is one all the same. */
  async checkKnown(projectId: Id<'project'>, named: string): Promise<void> {
    await this.targets.find(projectId, named).catch((error: unknown) => {
      if (!(error instanceof SlipwayError) || error.spec === gatewayErrors.modelNotFound.spec) throw error;
    });
  }

  async generate(origin: CallOrigin, named: string, request: ModelRequest, alongside?: Alongside): Promise<Generated> {
    const call = await this.begin(origin, named, request, false, alongside);
    const result = await this.orFail(call, (timed) => answerOf(call.model.protocol.doGenerate(timed)));
    const said = saidIn(result.content);
    await this.succeed(call, result.usage, said);
    return { call, said, usage: result.usage, finishReason: result.finishReason.unified };
  }

  /** Resolves when the model begins to answer. */
  async stream(origin: CallOrigin, named: string, request: ModelRequest, alongside?: Alongside): Promise<Streamed> {
    const call = await this.begin(origin, named, request, true, alongside);
    const parts = await this.orFail(call, async (timed) => {
      const { stream } = await call.model.protocol.doStream(timed);
      return partsOf(stream);
    });
    return { call, parts: this.recorded(call, parts) };
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
    if (reason !== undefined) throw notTaken(reason);
    this.breakers.admit(model.id);
    return new CallRecord(origin, model, request, isStream, alongside);
  }

  /** All attempts together have the time of one call. */
  private async orFail<T>(call: CallRecord, attempt: (timed: ModelRequest) => Promise<T>): Promise<T> {
    const { request } = call;
    const late = AbortSignal.timeout(this.settings.MODEL_TIMEOUT_SECONDS * 1000);
    const abortSignal = request.abortSignal ? AbortSignal.any([request.abortSignal, late]) : late;
    try {
      return await inAttempts(() => attempt({ ...request, abortSignal }), abortSignal);
    } catch (error) {
      throw await this.fail(call, error, null);
    }
  }

  /** The parts as they come; at their end, and when nobody wants more of them, the call goes into the ledger. */
  private async *recorded(call: CallRecord, parts: AsyncIterable<ModelPart>): AsyncGenerator<ModelPart, void> {
    const saying = new Saying();
    let isOpen = true;
    try {
      for await (const part of failing(parts)) {
        if (part instanceof ModelFailure) {
          isOpen = false;
          throw await this.fail(call, part, saying.said);
        }
        if (saying.add(part)) call.noteFirstToken();
        if (part.type === 'finish') {
          isOpen = false;
          await this.succeed(call, part.usage, saying.said);
        }
        yield part;
      }
    } finally {
      if (isOpen) await this.writing.write(call, await call.failed(CLIENT_LEFT, saying.said));
    }
  }

  private async succeed(call: CallRecord, usage: ModelUsage, said: Said): Promise<void> {
    this.breakers.succeeded(call.model.id);
    await this.writing.write(call, await call.succeeded(usage, said));
  }

  /** Writes the failed call down, unless the model does not take such, and returns what whoever asked is told. */
  private async fail(call: CallRecord, error: unknown, said: Said | null): Promise<unknown> {
    const { abortSignal } = call.request;
    if (abortSignal?.aborted) {
      await this.writing.write(call, await call.failed(CLIENT_LEFT, said));
      return abortSignal.reason;
    }
    const failure = failureOf(error);
    if (!failure.isTaken) return failure.toRefusal();
    this.breakers.failed(call.model.id, failure);
    await this.writing.write(call, await call.failed(failure.providerStatus, said));
    return failure.toRefusal();
  }
}

/** Providers say why they stopped; what does not is no answer, but something that could be read as one. */
async function answerOf(result: PromiseLike<ModelResult>): Promise<ModelResult> {
  const answer = await result;
  if (answer.finishReason.raw === undefined) throw new ModelFailure(NO_ANSWER, { providerStatus: ANSWERED });
  return answer;
}

/** The parts, and a failure of theirs as the last one: it is told apart from a fault of whoever reads them. */
async function* failing(parts: AsyncIterable<ModelPart>): AsyncGenerator<ModelPart | ModelFailure> {
  try {
    yield* parts;
  } catch (error) {
    yield failureOf(error);
  }
}

/**
 * Calls again what failed for a moment, after pauses of which no two are alike, and throws the last failure. The signal
 * ends it all.
 */
function inAttempts<T>(call: () => PromiseLike<T>, signal: AbortSignal): Promise<T> {
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
  return pauseMs > LONGEST_PAUSE_MS ? undefined : pauseMs;
}
