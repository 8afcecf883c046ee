import type { z } from 'zod';
import { parseJson } from '../../../kernel/json.js';
import type { Outbound } from '../../../platform/outbound/outbound.js';
import type { McpReason } from '../mcp-connections.errors.js';
import { McpFailure } from '../mcp-connections.port.js';
import { eventsIn } from './event-stream.js';
import { discard, failureOf, isJson, newestFailureOf, refusalOf, SessionEnded, toFailure } from './mcp-failures.js';
import { Initialized, isAnswerTo, isRequest, type Message, messagesIn } from './mcp-messages.js';
import {
  Discovered,
  HANDSHAKE,
  headersFor,
  isNewest,
  NEWEST,
  NEWEST_VERSION,
  type OlderServers,
  type SessionTerms,
  paramsFor,
} from './mcp-versions.js';

/** The size of one answer. Its messages are parsed at once, which blocks the process. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** The most requests of a server that are answered while it works on one of ours. */
const MAX_REPLIES = 20;
const CLOSE_MS = 2_000;
const METHOD_NOT_FOUND = -32601;
const MOST_TO_ASK_MS = 5_000;
/** The failures that say nothing of the version, and that a handshake would meet as well. */
const FINAL: McpReason[] = [
  'MCP_ADDRESS_CLOSED',
  'MCP_UNREACHABLE',
  'MCP_REDIRECTED',
  'MCP_SIGN_IN_REQUIRED',
  'MCP_FORBIDDEN',
];

export interface McpEndpoint {
  url: string;
  headers: readonly (readonly [string, string])[];
}

/** The time that is left for an operation, which may take several requests. */
export interface McpTime {
  signal: AbortSignal;
  /** As `performance.now()` measures it. */
  deadline: number;
}

/** A session with an MCP server over streamable HTTP. It is opened by its first request. */
export class McpSession {
  private open: SessionTerms | null = null;
  /** The opening that is under way. A second one would leave a session at the server that is never ended. */
  private opening: Promise<SessionTerms> | null = null;
  private lastId = 0;

  constructor(
    private readonly outbound: Outbound,
    private readonly endpoint: McpEndpoint,
    private readonly olderServers: OlderServers,
  ) {}

  /** Sends a request and reads its result. If the server has ended the session, a new one is opened once. */
  async request<Schema extends z.ZodType>(
    method: string,
    params: object,
    schema: Schema,
    time: McpTime,
  ): Promise<z.output<Schema>> {
    const open = await this.opened(time);
    const send = async (within: SessionTerms) => valid(schema, (await this.send(method, params, within, time)).result);
    try {
      return await send(open);
    } catch (error) {
      if (!(error instanceof SessionEnded)) throw error;
      // Another request may have opened a new session already.
      if (this.open === open) this.open = null;
      return send(await this.opened(time));
    }
  }

  /** Tells the server that the session is over. It need not understand this, so failures are ignored. */
  async close(): Promise<void> {
    const { open } = this;
    this.open = null;
    if (open) await this.end(open);
  }

  /**
   * Returns the open session, which requests at the same moment open together. A request waits no longer than its own
   * time, and opens the session itself if the time of another one has ended the opening.
   */
  private async opened(time: McpTime): Promise<SessionTerms> {
    while (!this.open) {
      if (!this.opening) return this.openNow(time);
      await within(time, this.opening);
    }
    return this.open;
  }

  private async openNow(time: McpTime): Promise<SessionTerms> {
    this.opening = this.initialize(time);
    try {
      return (this.open = await this.opening);
    } finally {
      this.opening = null;
    }
  }

  private async initialize(time: McpTime): Promise<SessionTerms> {
    if (await this.speaksNewest(time)) return NEWEST;
    const { result, response } = await this.send('initialize', HANDSHAKE, null, time).catch((error: unknown) => {
      this.olderServers.forget(this.endpoint.url);
      throw error;
    });
    const { protocolVersion: version } = valid(Initialized, result);
    const open = { id: response.headers.get('mcp-session-id'), version };
    try {
      await discard(await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, open, time));
      return open;
    } catch (error) {
      void this.end(open);
      throw error;
    }
  }

  /**
   * Asks the server for its versions. One that does not understand the question, or does not answer it in half of the
   * time, is taken for an older one until it refuses the handshake, or for ten minutes.
   */
  private async speaksNewest(time: McpTime): Promise<boolean> {
    const { url } = this.endpoint;
    if (this.olderServers.has(url)) return false;
    const half = { ...time, deadline: performance.now() + Math.min(MOST_TO_ASK_MS, millisecondsTo(time.deadline) / 2) };
    try {
      const { result } = await this.send('server/discover', {}, NEWEST, half);
      const { data } = Discovered.safeParse(result);
      if (data?.supportedVersions.includes(NEWEST_VERSION)) return true;
    } catch (error) {
      if (!(error instanceof McpFailure) || FINAL.includes(error.reason)) throw error;
    }
    this.olderServers.add(url);
    return false;
  }

  private async end(open: SessionTerms): Promise<void> {
    if (open.id === null) return;
    const { outbound, endpoint } = this;
    const init = { method: 'DELETE', headers: headersFor(endpoint.headers, open) };
    const limits = { timeoutMs: CLOSE_MS, maxBytes: MAX_ANSWER_BYTES };
    await outbound.fetch(endpoint.url, init, limits).then(discard, () => undefined);
  }

  private async send(
    method: string,
    params: object,
    open: SessionTerms | null,
    time: McpTime,
  ): Promise<{ result: unknown; response: Response }> {
    const id = (this.lastId += 1);
    try {
      const response = await this.post({ jsonrpc: '2.0', id, method, params: paramsFor(open, params) }, open, time);
      const { result, error } = await this.answerTo(id, response, open, time);
      if (error !== undefined) throw refusalOf(error);
      return { result, response };
    } catch (error) {
      // The body of an answer can fail after its head has arrived.
      throw toFailure(error);
    }
  }

  private async post(message: object, open: SessionTerms | null, { signal, deadline }: McpTime): Promise<Response> {
    const { outbound, endpoint } = this;
    const headers = headersFor(endpoint.headers, open, message);
    headers.set('content-type', 'application/json');
    headers.set('accept', 'application/json,text/event-stream');
    const init = { method: 'POST', headers, body: JSON.stringify(message), signal };
    try {
      const limits = { timeoutMs: millisecondsTo(deadline), maxBytes: MAX_ANSWER_BYTES };
      const response = await outbound.fetch(endpoint.url, init, limits);
      if (response.ok) return response;
      if (isNewest(open)) throw await newestFailureOf(response);
      await discard(response);
      throw failureOf(response.status, open?.id != null);
    } catch (error) {
      throw toFailure(error);
    }
  }

  private async answerTo(id: number, response: Response, open: SessionTerms | null, time: McpTime): Promise<Message> {
    const type = response.headers.get('content-type') ?? '';
    if (isJson(response)) {
      const answer = messagesIn(parseJson(await response.text())).find((message) => isAnswerTo(id, message));
      if (answer) return answer;
      throw new McpFailure('MCP_ANSWER_INVALID');
    }
    if (!/^text\/event-stream\b/i.test(type) || !response.body) {
      await discard(response);
      throw new McpFailure('MCP_ANSWER_INVALID');
    }
    return this.answerInStream(id, response, open, time);
  }

  private async answerInStream(
    id: number,
    response: Response,
    open: SessionTerms | null,
    time: McpTime,
  ): Promise<Message> {
    let replies = 0;
    for await (const data of eventsIn(response)) {
      for (const message of messagesIn(parseJson(data))) {
        if (isAnswerTo(id, message)) return message;
        if (!isRequest(message)) continue;
        replies += 1;
        if (replies > MAX_REPLIES) throw new McpFailure('MCP_ANSWER_INVALID');
        await discard(await this.post(replyTo(message), open, time));
      }
    }
    throw new McpFailure('MCP_ANSWER_INVALID', 'The MCP server ended its answer before the result.');
  }
}

/** Of what servers ask their clients, this one only answers whether it is there. */
function replyTo({ id, method }: Message): object {
  if (method === 'ping') return { jsonrpc: '2.0', id, result: {} };
  return { jsonrpc: '2.0', id, error: { code: METHOD_NOT_FOUND, message: 'This client does not support the method.' } };
}

/** Waits for an opening, and no longer than until the deadline. */
async function within({ signal, deadline }: McpTime, opening: Promise<SessionTerms>): Promise<void> {
  const late = AbortSignal.timeout(millisecondsTo(deadline));
  const ended = AbortSignal.any([signal, late]);
  const end = Promise.withResolvers<never>();
  const stop = () => end.reject(signal.aborted ? signal.reason : new McpFailure('MCP_TIMED_OUT'));
  if (ended.aborted) stop();
  ended.addEventListener('abort', stop, { once: true });
  // The opening may fail by the time of the request that began it, which says nothing of the server.
  const other = opening.catch((error: unknown) => {
    if (error instanceof McpFailure && error.reason !== 'MCP_TIMED_OUT') throw error;
  });
  try {
    await Promise.race([other, end.promise]);
  } finally {
    ended.removeEventListener('abort', stop);
  }
}

function millisecondsTo(deadline: number): number {
  return Math.max(1, Math.round(deadline - performance.now()));
}

function valid<Schema extends z.ZodType>(schema: Schema, result: unknown): z.output<Schema> {
  const { success, data } = schema.safeParse(result);
  if (!success) throw new McpFailure('MCP_ANSWER_INVALID');
  return data;
}
