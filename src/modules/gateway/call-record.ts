import type { Transaction } from '../../platform/database/transaction.js';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { storableText } from '../../kernel/storable-text.js';
import type { Observed, Report } from '../traces/observing.service.js';
import type { CallableModel, ModelPart, ModelRequest, ModelResult, ModelUsage } from './gateway.port.js';

/** For whom a model is called, and what the ledger is to say of it. */
export interface CallOrigin {
  readonly projectId: Id<'project'>;
  readonly appId?: Id<'app'>;
  readonly agentName?: string;
  readonly environment?: string;
  readonly sessionId?: string;
  readonly traceId?: Id<'trace'>;
  /** Within what it is called. */
  readonly parentObservationId?: Id<'observation'>;
  readonly eventId?: string;
  readonly source?: string;
  readonly sourceSubtype?: string;
  readonly sourceId?: string;
  readonly channel?: string;
  readonly channelType?: string;
  /** Takes out of what is kept of the call what nobody may read. The model gets it all the same. */
  readonly mask?: (value: unknown) => Promise<unknown>;
}

export type ToolCall = {
  id: string;
  name: string;
  /** JSON, as the model wrote it. */
  arguments: string;
};

/** What a model said, put together. */
export interface Said {
  text: string;
  toolCalls: ToolCall[];
}

/** What a call came to, for whoever keeps it beside the ledger. */
export interface MadeCall {
  readonly status: 'success' | 'failed';
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
  readonly latencyMs: number;
  /** Null where it failed before the model said anything. */
  readonly said: Said | null;
}

/**
 * Done in the transaction that writes the call down, whatever it came to: both are kept, or neither is. False where
 * nothing of what was said may be kept any more, but only what it took.
 */
export type Alongside = (tx: Transaction, call: MadeCall) => Promise<boolean>;

type Outcome = ReturnType<typeof countsOf> & { status: 'success' | 'failed'; statusCode: number };

const NOTHING_COUNTED = { inputTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };

/** One call while it runs. At its end it is a row of the ledger and an observation, whatever it came to. */
export class CallRecord {
  readonly callId = newId('observation');
  readonly startedAt = clock.now();
  private readonly begun = performance.now();
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

  succeeded(usage: ModelUsage, said: Said): Promise<Report> {
    return this.report(said, { ...countsOf(usage), status: 'success', statusCode: 200 });
  }

  failed(statusCode: number, said: Said | null): Promise<Report> {
    return this.report(said, { ...NOTHING_COUNTED, status: 'failed', statusCode });
  }

  private async report(said: Said | null, outcome: Outcome): Promise<Report> {
    const { projectId: _, appId: __, mask, parentObservationId, traceId = newId('trace'), ...origin } = this.origin;
    const plain = payloadOf(this.model.name, this.request, said);
    const latencyMs = this.elapsedMs();
    const payload = mask ? ((await mask(plain)) as typeof plain) : plain;
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
        statusMessage: outcome.status === 'failed' ? `The provider's status: ${outcome.statusCode}` : '',
        input: JSON.stringify(payload.request.messages),
        output: payload.response && (payload.response.text || JSON.stringify(payload.response.toolCalls ?? [])),
        attributes: '{}',
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
    return Math.round(performance.now() - this.begun);
  }
}

export function toMadeCall({ call }: Report, { status, generation }: Observed): MadeCall {
  const { text, toolCalls = [] } = (call?.payload?.response ?? {}) as Partial<Said>;
  return {
    status,
    inputTokens: generation?.inputTokens ?? 0,
    outputTokens: generation?.outputTokens ?? 0,
    cost: generation?.cost ?? 0,
    latencyMs: call?.latencyMs ?? 0,
    said: text === undefined ? null : { text, toolCalls },
  };
}

/** What the ledger counts. A provider that counts differently is made to add up. */
export function countsOf({ inputTokens, outputTokens }: ModelUsage) {
  const input = whole(inputTokens.total);
  const reasoning = Math.min(whole(outputTokens.reasoning), whole(outputTokens.total));
  return {
    inputTokens: input,
    cachedTokens: Math.min(whole(inputTokens.cacheRead), input),
    completionTokens: whole(outputTokens.total) - reasoning,
    reasoningTokens: reasoning,
  };
}

const MOST_TOKENS = 2_147_483_647;

function whole(count: number | undefined): number {
  return Number.isFinite(count) ? Math.min(Math.max(0, Math.round(count!)), MOST_TOKENS) : 0;
}

type Message = ModelRequest['prompt'][number];
type Part = Exclude<Message['content'], string>[number];

type CallPayload = {
  request: { model: string; messages: { role: string; content: string }[] };
  response: { text: string; toolCalls?: ToolCall[] } | null;
};

/** What the ledger keeps of a call: text as it was, and of files that there were some. */
function payloadOf(model: string, { prompt }: ModelRequest, said: Said | null): CallPayload {
  const messages = prompt.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : content.map(readable).join('\n'),
  }));
  return {
    request: { model, messages },
    response: said && { text: said.text, ...(said.toolCalls.length > 0 && said) },
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

/** What an answer says, put together. */
export function saidIn(content: ModelResult['content']): Said {
  const saying = new Saying();
  for (const part of content) {
    if (part.type === 'text') saying.write(part.text);
    else if (part.type === 'tool-call') saying.add(part);
  }
  return saying.said;
}

/** Puts together what a stream says. */
export class Saying {
  private text = '';
  private readonly toolCalls: ToolCall[] = [];

  /** So that whoever keeps it can: the ledger, sessions, summaries. */
  get said(): Said {
    return { text: storableText(this.text), toolCalls: this.toolCalls };
  }

  write(text: string): void {
    this.text += text;
  }

  /** Whether the part is something that the model wrote. */
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
