import type { Transaction } from '../../platform/database/transaction.js';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { storableText } from '../../kernel/storable-text.js';
import { currentRequest } from '../../platform/context/request-context.js';
import { inputOfMessages, type Observed, type Report } from '../traces/observing.service.js';
import { CALLER_LEFT } from '../traces/traces.service.js';
import { CLIENT_LEFT, type ModelFailure } from './model-failure.js';
import type { CallableModel, ModelPart, ModelRequest, ModelResult, ModelUsage } from './gateway.port.js';

/** For which project a model is called, and the values that the ledger records with the call. */
export interface CallOrigin {
  readonly projectId: Id<'project'>;
  readonly appId?: Id<'app'>;
  readonly agentName?: string;
  readonly environment?: string;
  readonly sessionId?: string;
  readonly traceId?: Id<'trace'>;
  /** The observation within which the model is called. */
  readonly parentObservationId?: Id<'observation'>;
  readonly eventId?: string;
  readonly source?: string;
  readonly sourceSubtype?: string;
  readonly sourceId?: string;
  readonly channel?: string;
  readonly channelType?: string;
  /** Masks confidential values in the record of the call. The model receives them unmasked. */
  readonly mask?: (value: unknown) => Promise<unknown>;
}

export type ToolCall = {
  id: string;
  name: string;
  /** The JSON as the model wrote it, which may be malformed. */
  arguments: string;
};

/** The complete answer of a model. */
export interface ModelAnswer {
  text: string;
  toolCalls: ToolCall[];
}

/** The outcome of a call, for a caller that keeps it in addition to the ledger. */
export interface MadeCall {
  readonly status: 'success' | 'failed';
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
  readonly latencyMs: number;
  /** Null if the call failed before the model answered anything. */
  readonly answer: ModelAnswer | null;
}

/**
 * A callback in the transaction that records the call, whatever its outcome, so that the effects of both are committed
 * together. It returns false if texts must not be kept any more, because the session was erased. Only tokens and cost
 * are recorded then.
 */
export type Alongside = (tx: Transaction, call: MadeCall) => Promise<boolean>;

type Outcome = ReturnType<typeof countsOf> & { status: 'success' | 'failed'; statusCode: number };

/** How the observation of a call describes its end. */
interface End {
  statusMessage: string;
  failedModelId?: string;
}

const NO_TOKENS = { inputTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };

/** One call while it runs. It is recorded in the ledger and as an observation when it ends, whatever its outcome. */
export class CallRecord {
  readonly callId = newId('observation');
  readonly startedAt = clock.now();
  private readonly startMs = performance.now();
  private firstTokenMs: number | null = null;

  constructor(
    readonly origin: CallOrigin,
    readonly model: CallableModel,
    readonly request: ModelRequest,
    private readonly streamingUsed: boolean,
    readonly alongside?: Alongside,
  ) {}

  noteFirstToken(): void {
    this.firstTokenMs ??= this.elapsedMs();
  }

  succeeded(usage: ModelUsage, answer: ModelAnswer): Promise<Report> {
    return this.report(answer, { ...countsOf(usage), status: 'success', statusCode: 200 }, { statusMessage: '' });
  }

  failed({ atFault, providerStatus, statusCode, sentence }: ModelFailure, answer: ModelAnswer | null): Promise<Report> {
    const statusMessage = providerStatus === undefined ? sentence : `${sentence} The status is ${providerStatus}.`;
    const end = atFault === 'request' ? { statusMessage } : { statusMessage, failedModelId: this.model.id };
    return this.report(answer, { ...NO_TOKENS, status: 'failed', statusCode }, end);
  }

  /** The caller did not wait for the end of the answer, which is not a failure of the model. */
  abandoned(answer: ModelAnswer | null): Promise<Report> {
    return this.report(
      answer,
      { ...NO_TOKENS, status: 'failed', statusCode: CLIENT_LEFT },
      { statusMessage: CALLER_LEFT },
    );
  }

  private async report(answer: ModelAnswer | null, outcome: Outcome, end: End): Promise<Report> {
    const { projectId: _, appId: __, mask, parentObservationId, traceId = newId('trace'), ...origin } = this.origin;
    const unmasked = payloadOf(this.model.name, this.request, answer);
    const latencyMs = this.elapsedMs();
    await currentRequest()?.giveWay();
    const payload = mask ? ((await mask(unmasked)) as typeof unmasked) : unmasked;
    return {
      observed: {
        id: this.callId,
        traceId,
        parentId: parentObservationId ?? null,
        sessionId: origin.sessionId ?? '',
        name: origin.sourceSubtype ?? 'response_generation',
        startedAt: this.startedAt.toISOString(),
        endedAt: new Date(this.startedAt.getTime() + latencyMs).toISOString(),
        status: outcome.status,
        input: inputOfMessages(payload.request.messages),
        output: payload.response && (payload.response.text || JSON.stringify(payload.response.toolCalls ?? [])),
        attributes: '{}',
        ...end,
      },
      call: {
        ...origin,
        ...outcome,
        callId: this.callId,
        eventId: origin.eventId ?? this.callId,
        model: this.model.name,
        provider: this.model.provider,
        latencyMs,
        timeToFirstTokenMs: this.firstTokenMs,
        streamingUsed: this.streamingUsed,
        payload,
      },
      startsTrace: this.origin.traceId === undefined,
    };
  }

  private elapsedMs(): number {
    return Math.round(performance.now() - this.startMs);
  }
}

export function toMadeCall({ call }: Report, { status, generation }: Observed): MadeCall {
  const { text, toolCalls = [] } = (call?.payload?.response ?? {}) as Partial<ModelAnswer>;
  return {
    status,
    inputTokens: generation?.inputTokens ?? 0,
    outputTokens: generation?.outputTokens ?? 0,
    cost: generation?.cost ?? 0,
    latencyMs: call?.latencyMs ?? 0,
    answer: text === undefined ? null : { text, toolCalls },
  };
}

/** Converts a provider's usage to the tokens that the ledger counts, and corrects counts that do not add up. */
export function countsOf({ inputTokens, outputTokens }: ModelUsage) {
  const input = toCount(inputTokens.total);
  const reasoning = Math.min(toCount(outputTokens.reasoning), toCount(outputTokens.total));
  return {
    inputTokens: input,
    cachedTokens: Math.min(toCount(inputTokens.cacheRead), input),
    completionTokens: toCount(outputTokens.total) - reasoning,
    reasoningTokens: reasoning,
  };
}

const MAX_TOKENS = 2_147_483_647;

function toCount(count: number | undefined): number {
  return Number.isFinite(count) ? Math.min(Math.max(0, Math.round(count!)), MAX_TOKENS) : 0;
}

type Message = ModelRequest['prompt'][number];
type Part = Exclude<Message['content'], string>[number];

type CallPayload = {
  request: { model: string; messages: { role: string; content: string }[] };
  response: { text: string; toolCalls?: ToolCall[] } | null;
};

/** Builds the payload that the ledger keeps: all text, and a placeholder for each file. */
function payloadOf(model: string, { prompt }: ModelRequest, answer: ModelAnswer | null): CallPayload {
  const messages = prompt.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : content.map(readable).join('\n'),
  }));
  return {
    request: { model, messages },
    response: answer && { text: answer.text, ...(answer.toolCalls.length > 0 && answer) },
  };
}

function readable(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text;
    case 'tool-call':
      return `[call of ${part.toolName}: ${JSON.stringify(part.input)}]`;
    case 'tool-result':
      return 'value' in part.output ? textOf(part.output.value) : `[${part.output.type}]`;
    case 'file':
      return `[file: ${part.mediaType}]`;
    default:
      return `[${part.type}]`;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Builds the answer from the parts of a result. */
export function answerIn(content: ModelResult['content']): ModelAnswer {
  const builder = new AnswerBuilder();
  for (const part of content) {
    if (part.type === 'text') builder.write(part.text);
    else if (part.type === 'tool-call') builder.add(part);
  }
  return builder.answer;
}

/** Builds the answer from the parts of a stream. */
export class AnswerBuilder {
  private text = '';
  private readonly toolCalls: ToolCall[] = [];

  /** Characters that PostgreSQL cannot store are replaced, because the ledger, sessions and summaries keep the text. */
  get answer(): ModelAnswer {
    return { text: storableText(this.text), toolCalls: this.toolCalls };
  }

  write(text: string): void {
    this.text += text;
  }

  /** Adds a part, and returns whether the model wrote it. */
  add(part: ModelPart): boolean {
    switch (part.type) {
      case 'text-delta':
        this.write(part.delta);
        return true;
      case 'tool-call':
        this.toolCalls.push({ id: part.toolCallId, name: part.toolName, arguments: part.input });
        return true;
      case 'reasoning-delta':
      case 'tool-input-start':
        return true;
      default:
        return false;
    }
  }
}
