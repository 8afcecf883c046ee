import { Injectable } from '@nestjs/common';
import { JsonText } from '../../../kernel/json-text.js';
import { withRetries } from '../../../kernel/retries.js';
import type { NodeOf } from '../documents/documents.schema.js';
import { ComputePool } from '../../../platform/compute/compute-pool.js';
import { computeTask } from '../../../platform/compute/compute-task.js';
import { HEADER_VALUE } from '../../../platform/outbound/header-rules.js';
import { OutboundFault } from '../../../platform/outbound/outbound.errors.js';
import { Outbound } from '../../../platform/outbound/outbound.js';
import { Templates } from '../../../platform/template/templates.js';
import readJson, { type JsonAnswer, type JsonRequest } from './json.thread.js';
import { type NodeContext, NodeFailure, NodeKind, type NodeOutcome } from './node-kind.js';
import { pausesOf } from './retries.js';

const MAX_ANSWER_BYTES = 1024 * 1024;
const TRANSIENT = [408, 425, 429];
const MAX_LEVELS = 255;
/** Longer bodies are parsed in a compute thread. */
const LONG = 16_384;
const READ_MS = 1_000;

const task = computeTask<JsonRequest, JsonAnswer>('json', import.meta.url);

const FAULTS = {
  address: 'ADDRESS_NOT_ALLOWED',
  unreachable: 'HTTP_UNREACHABLE',
  timeout: 'HTTP_TIMED_OUT',
  tooLarge: 'OUTPUT_TOO_LARGE',
} as const;

interface PreparedRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
}

@Injectable()
export class HttpKind extends NodeKind<'http'> {
  constructor(
    private readonly outbound: Outbound,
    private readonly templates: Templates,
    private readonly compute: ComputePool,
  ) {
    super();
  }

  async run(node: NodeOf<'http'>, context: NodeContext): Promise<NodeOutcome> {
    const request = await this.prepare(node, context);
    const input = { ...request, attempts: 1 };
    const attempt = async (attempts: number) => {
      const output = await this.send(request, node.timeoutMs, context, input);
      return { input: { ...input, attempts }, output };
    };
    return withRetries(attempt, pausesOf(node.retry), context.signal);
  }

  private async prepare(
    { method, body: template, ...node }: NodeOf<'http'>,
    context: NodeContext,
  ): Promise<PreparedRequest> {
    const ask = { texts: { url: node.url, query: node.query ?? {}, headers: node.headers ?? {} }, value: template };
    const filled = await this.templates.fill(ask, context.variables, context);
    const texts = filled.texts as typeof ask.texts;
    if (!URL.canParse(texts.url))
      throw new NodeFailure('ADDRESS_NOT_ALLOWED', 'With its values filled in, `url` is not an address.');
    const url = new URL(texts.url);
    for (const [name, value] of Object.entries(texts.query)) url.searchParams.append(name, value);
    const headers = headersOf(texts.headers);
    const json = filled.value?.text;
    const isText = json?.startsWith('"');
    if (json !== undefined && !isText) headers['content-type'] ??= 'application/json';
    return { url: url.href, method, headers, body: isText ? (filled.value!.value as string) : json };
  }

  private async send({ url, ...init }: PreparedRequest, timeoutMs: number, context: NodeContext, input: object) {
    const { signal } = context;
    try {
      const options = { ...init, signal, ...(init.body === undefined && { body: undefined }) } as RequestInit;
      const response = await this.outbound.fetch(url, options, { timeoutMs, maxBytes: MAX_ANSWER_BYTES });
      const text = await response.text();
      const { status } = response;
      if (status < 200 || status > 299) {
        const isTransient = TRANSIENT.includes(status) || status >= 500;
        throw new NodeFailure('HTTP_STATUS', `The server answered with the status ${status}.`, isTransient, input);
      }
      const head = JSON.stringify({ status, headers: Object.fromEntries(response.headers) });
      const body = (await this.jsonIn(response, text, context)) ?? JSON.stringify(text);
      return JsonText.parsed(`${head.slice(0, -1)},"body":${body}}`);
    } catch (error) {
      if (!(error instanceof OutboundFault)) throw error;
      const hasNoAnswer = error.kind === 'unreachable' || error.kind === 'timeout';
      throw new NodeFailure(FAULTS[error.kind], `${error.message}.`, hasNoAnswer, input);
    }
  }

  /** Returns the body as JSON if it is declared as JSON and is valid. */
  private async jsonIn({ headers }: Response, text: string, context: NodeContext): Promise<string | undefined> {
    if (!/^application\/([\w.+-]+\+)?json/i.test(headers.get('content-type') ?? '')) return undefined;
    const request = { text, mostLevels: MAX_LEVELS };
    const answer = text.length <= LONG ? readJson(request) : await this.readLong(request, context);
    if (answer.isTooDeep)
      throw new NodeFailure('OUTPUT_TOO_DEEP', `The body is nested deeper than ${MAX_LEVELS} levels.`);
    return answer.json;
  }

  private readLong(request: JsonRequest, context: NodeContext): Promise<JsonAnswer> {
    return this.compute.run(task, request, { ...context, ms: READ_MS });
  }
}

/** A header whose value is empty is left out, so that a flow can have headers that depend on its input. */
function headersOf(filled: Record<string, string>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(filled)) {
    if (value === '') continue;
    if (!HEADER_VALUE.test(value)) {
      throw new NodeFailure(
        'HEADER_NOT_ALLOWED',
        `The value of the header ${name} has characters that headers cannot have.`,
      );
    }
    headers[name.toLowerCase()] = value;
  }
  return headers;
}
