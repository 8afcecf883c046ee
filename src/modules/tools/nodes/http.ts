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
import { ClientTokens, type TokenClient, tokenFailure } from './client-tokens.js';
import { type BytesBody, HttpBodies } from './http-body.js';
import { failureOfFault, type NodeContext, NodeFailure, NodeKind, type NodeOutcome } from './node-kind.js';
import { pausesOf } from './retries.js';
import { discard } from './unread.js';

const MAX_ANSWER_BYTES = 1024 * 1024;
const TRANSIENT = [408, 425, 429];
const MAX_LEVELS = 255;
/** Longer bodies are parsed in a compute thread. */
const LONG = 16_384;
const READ_MS = 1_000;

const task = computeTask<JsonRequest, JsonAnswer>('json', import.meta.url);

interface PreparedRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
}

interface Prepared {
  request: PreparedRequest;
  /** The request for the record of the run, without the contents of files. */
  input: object;
  /** The client whose token the request sends. */
  client: TokenClient | undefined;
}

@Injectable()
export class HttpKind extends NodeKind<'http'> {
  constructor(
    private readonly outbound: Outbound,
    private readonly templates: Templates,
    private readonly compute: ComputePool,
    private readonly bodies: HttpBodies,
    private readonly tokens: ClientTokens,
  ) {
    super();
  }

  async run(node: NodeOf<'http'>, context: NodeContext): Promise<NodeOutcome> {
    const prepared = await this.prepare(node, context);
    const input = { ...prepared.input, attempts: 1 };
    const attempt = async (attempts: number) => {
      const response = await this.send(prepared, node.timeoutMs, context, input);
      return { input: { ...input, attempts }, output: await this.outputOf(response, context, input) };
    };
    return withRetries(attempt, pausesOf(node.retry), context.signal);
  }

  private async prepare(
    { method, body: template, multipart, file, oauth, ...node }: NodeOf<'http'>,
    context: NodeContext,
  ): Promise<Prepared> {
    const texts = { url: node.url, query: node.query ?? {}, headers: node.headers ?? {}, oauth: oauth ?? {} };
    const value = multipart?.fields ?? file ?? template;
    const filled = await this.templates.fill({ texts, value }, context.variables, context);
    const { url: address, query, headers: given, oauth: client } = filled.texts as typeof texts;
    if (!URL.canParse(address))
      throw new NodeFailure('ADDRESS_NOT_ALLOWED', 'With its values filled in, `url` is not an address.');
    const url = new URL(address);
    for (const [name, each] of Object.entries(query)) url.searchParams.append(name, each);
    const headers = headersOf(given);
    const request = { url: url.href, method, headers };
    const asClient = oauth && (client as TokenClient);
    if (multipart || file !== undefined) {
      const { projectId } = context;
      const made: BytesBody = multipart
        ? await this.bodies.multipart(filled.value!.value, multipart, projectId)
        : await this.bodies.file(filled.value!.value, projectId);
      if (multipart) headers['content-type'] = made.contentType;
      else headers['content-type'] ??= made.contentType;
      return { request: { ...request, body: made.bytes }, input: { ...request, ...made.shown }, client: asClient };
    }
    const json = filled.value?.text;
    const isText = json?.startsWith('"');
    if (json !== undefined && !isText) headers['content-type'] ??= 'application/json';
    const body = isText ? (filled.value!.value as string) : json;
    return { request: { ...request, body }, input: { ...request, body }, client: asClient };
  }

  /** Sends the request. If the server refuses a token, which may have been revoked, a new one is sent once. */
  private async send(
    { request, client }: Prepared,
    timeoutMs: number,
    context: NodeContext,
    input: object,
  ): Promise<Response> {
    if (!client) return this.fetch(request, timeoutMs, context, input);
    const tokenBut = (refused?: string) =>
      this.tokens.of(client, context, refused).catch((error: unknown) => {
        throw tokenFailure(error, input);
      });
    const withToken = (token: string) => {
      const authorization = `Bearer ${token}`;
      if (!HEADER_VALUE.test(authorization)) throw headerNotAllowed('authorization');
      return this.fetch({ ...request, headers: { ...request.headers, authorization } }, timeoutMs, context, input);
    };
    const token = await tokenBut();
    const response = await withToken(token);
    if (response.status !== 401) return response;
    const another = await tokenBut(token).catch(async (error: unknown) => {
      await discard(response);
      throw error;
    });
    if (another === token) return response;
    await discard(response);
    return withToken(another);
  }

  private async fetch(
    { url, ...init }: PreparedRequest,
    timeoutMs: number,
    { signal }: NodeContext,
    input: object,
  ): Promise<Response> {
    const options = { ...init, signal, ...(init.body === undefined && { body: undefined }) } as RequestInit;
    return this.outbound.fetch(url, options, { timeoutMs, maxBytes: MAX_ANSWER_BYTES }).catch((error: unknown) => {
      throw error instanceof OutboundFault ? failureOfFault(error, input) : error;
    });
  }

  private async outputOf(response: Response, context: NodeContext, input: object): Promise<JsonText> {
    const { status } = response;
    // The body can fail after its head has arrived.
    const text = await response.text().catch((error: unknown) => {
      throw error instanceof OutboundFault ? failureOfFault(error, input) : error;
    });
    if (status < 200 || status > 299) {
      const isTransient = TRANSIENT.includes(status) || status >= 500;
      throw new NodeFailure('HTTP_STATUS', `The server answered with the status ${status}.`, isTransient, input);
    }
    const head = JSON.stringify({ status, headers: Object.fromEntries(response.headers) });
    const body = (await this.jsonIn(response, text, context)) ?? JSON.stringify(text);
    return JsonText.parsed(`${head.slice(0, -1)},"body":${body}}`);
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
    if (!HEADER_VALUE.test(value)) throw headerNotAllowed(name);
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

function headerNotAllowed(name: string): NodeFailure {
  const message = `The value of the header ${name} has characters that headers cannot have.`;
  return new NodeFailure('HEADER_NOT_ALLOWED', message);
}
