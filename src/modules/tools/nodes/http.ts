import { JsonText } from '../../../kernel/json-text.js';
import { withRetries } from '../../../kernel/retries.js';
import { ComputePool } from '../../../platform/compute/compute-pool.js';
import { computeTask } from '../../../platform/compute/compute-task.js';
import { HEADER_VALUE } from '../../../platform/outbound/header-rules.js';
import { Outbound } from '../../../platform/outbound/outbound.js';
import { Templates } from '../../../platform/template/templates.js';
import { AttemptTime } from './attempt-time.js';
import { BodyBudget } from './body-budget.js';
import { ClientTokens, type TokenClient, tokenFailure } from './client-tokens.js';
import { HttpBodies, type RequestBody } from './http-body.js';
import { isTransient, toHttpFailure } from './http-failures.js';
import readJson, { type JsonAnswer, type JsonRequest } from './json.thread.js';
import { FlowNodeKind, type NodeContext, NodeFailure, NodeKind, type NodeOutcome } from '../node-kind.port.js';
import { pausesOf } from './retries.js';
import { discard } from './unread.js';
import { HttpNode } from './http.schema.js';

const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_LEVELS = 255;
/** Longer bodies are parsed in a compute thread. */
const LONG = 16_384;
const READ_MS = 1_000;

const task = computeTask<JsonRequest, JsonAnswer>('json', import.meta.url);

interface FilledRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
}

/** A request with its values filled in. */
interface Filled {
  request: FilledRequest;
  /** The body with its values filled in, if the node has one. */
  body: JsonText | undefined;
  /** The client whose token the request sends. */
  client: TokenClient | undefined;
}

/** One request of an attempt, and what it needs beside the run. */
interface Sending {
  request: FilledRequest & { body: string | Uint8Array | undefined };
  time: AttemptTime;
  /** The request for the record of the run, without the contents of files. */
  input: object;
  context: NodeContext;
}

@FlowNodeKind({ type: 'http', description: 'Sends an HTTP request.', members: HttpNode })
export class HttpKind extends NodeKind<HttpNode> {
  constructor(
    private readonly outbound: Outbound,
    private readonly templates: Templates,
    private readonly compute: ComputePool,
    private readonly bodies: HttpBodies,
    private readonly budget: BodyBudget,
    private readonly tokens: ClientTokens,
  ) {
    super();
  }

  async run(node: HttpNode, context: NodeContext): Promise<NodeOutcome> {
    const { request, body: filled, client } = await this.fill(node, context);
    const body = await this.bodies.of(node, filled, context.projectId);
    nameFormat(request.headers, body);
    const input = { ...request, ...body.shown, attempts: 1 };
    const time = { timeoutMs: node.timeoutMs, signal: context.signal };
    return this.budget.within(context.projectId, body.bytes, time, async () => {
      const whole = { ...request, body: await body.read() };
      const attempt = async (attempts: number) => {
        const sending = { request: whole, time: new AttemptTime(node.timeoutMs), input, context };
        const response = client ? await this.sendAs(client, sending) : await this.send(sending);
        return { input: { ...input, attempts }, output: await this.outputOf(response, context, input) };
      };
      return withRetries(attempt, pausesOf(node.retry), context.signal);
    });
  }

  private async fill(node: HttpNode, context: NodeContext): Promise<Filled> {
    const { method, query: fields = {}, headers: named = {}, oauth = {} } = node;
    const texts = { url: node.url, query: fields, headers: named, oauth };
    const value = node.multipart?.fields ?? node.file ?? node.body;
    const filled = await this.templates.fill({ texts, value }, context.variables, context);
    const { url, query, headers, oauth: client } = filled.texts as typeof texts;
    return {
      request: { url: addressOf(url, query), method, headers: headersOf(headers) },
      body: filled.value,
      client: node.oauth && (client as TokenClient),
    };
  }

  /** Sends a token with the request. If the server refuses it, as it may be revoked, a new one is sent once. */
  private async sendAs(client: TokenClient, sending: Sending): Promise<Response> {
    const { context, time, input } = sending;
    const tokenInPlaceOf = (refused?: string) =>
      this.tokens.of(client, context, time, refused).catch((error: unknown) => {
        throw tokenFailure(error, input);
      });
    const token = await tokenInPlaceOf();
    const response = await this.send(withToken(sending, token));
    if (response.status !== 401) return response;
    const another = await tokenInPlaceOf(token).catch(async (error: unknown) => {
      await discard(response);
      throw error;
    });
    if (another === token) return response;
    await discard(response);
    return this.send(withToken(sending, another));
  }

  private async send({ request: { url, body, ...init }, time, input, context }: Sending): Promise<Response> {
    const options = { ...init, signal: context.signal, body };
    const limits = { timeoutMs: time.leftMs, maxBytes: MAX_ANSWER_BYTES };
    return this.outbound.fetch(url, options, limits).catch((error: unknown) => {
      throw toHttpFailure(error, input);
    });
  }

  private async outputOf(response: Response, context: NodeContext, input: object): Promise<JsonText> {
    const { status } = response;
    // The body can fail after its head has arrived.
    const text = await response.text().catch((error: unknown) => {
      throw toHttpFailure(error, input);
    });
    if (status < 200 || status > 299) {
      const message = `The server answered with the status ${status}.`;
      throw new NodeFailure('HTTP_STATUS', message, isTransient(status), input);
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

function addressOf(text: string, query: Record<string, string>): string {
  if (!URL.canParse(text))
    throw new NodeFailure('ADDRESS_NOT_ALLOWED', 'With its values filled in, `url` is not an address.');
  const url = new URL(text);
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
  return url.href;
}

/** Names the format of a body. A flow may name another one, except for the boundary of a form. */
function nameFormat(headers: Record<string, string>, { contentType, replacesHeader }: RequestBody): void {
  if (contentType === undefined) return;
  if (replacesHeader) headers['content-type'] = contentType;
  else headers['content-type'] ??= contentType;
}

function withToken(sending: Sending, token: string): Sending {
  const authorization = `Bearer ${token}`;
  if (!HEADER_VALUE.test(authorization)) throw headerNotAllowed('authorization');
  const { request } = sending;
  return { ...sending, request: { ...request, headers: { ...request.headers, authorization } } };
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
