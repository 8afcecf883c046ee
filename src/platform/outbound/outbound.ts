import type { Readable } from 'node:stream';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import { Agent, type Dispatcher, request } from 'undici';
import { beginWaiting } from '../../kernel/waiting.js';
import { Settings } from '../config/settings.js';
import { inSpan, withTraceHeaders } from '../telemetry/tracing.js';
import { AddressRules } from './address-rules.js';
import { guardedConnect } from './guarded-connect.js';
import { outboundErrors, OutboundFault } from './outbound.errors.js';
import { isOpened, refusalOf } from './target-url.js';
import { unpackedBody } from './unpacked-body.js';

export interface OutboundLimits {
  /** The time from the call to the last byte of the answer. */
  timeoutMs: number;
  /** The size of the answer's body after decompression. */
  maxBytes: number;
}

/** Headers that are sent unless the caller gives others. */
const USUAL_HEADERS = { accept: '*/*', 'accept-encoding': 'gzip, br', 'user-agent': 'Slipway' };
/** The formats of bodies that a caller gives without their type, as `fetch` names them. */
const TEXT = 'text/plain;charset=UTF-8';
const FORM = 'application/x-www-form-urlencoded;charset=UTF-8';
/** The statuses whose answers have no body, according to the standard of `fetch`. */
const WITHOUT_BODY = new Set([204, 205, 304]);
const REASON_PHRASE = /^[\t\x20-\x7e\x80-\xff]*$/;

export interface OutboundRequest extends Pick<RequestInit, 'method' | 'headers' | 'signal'> {
  body?: string | Uint8Array | URLSearchParams | null;
}

/** The guarded client, which makes every request from this service to an address that a stranger chose. */
@Injectable()
export class Outbound implements OnApplicationShutdown {
  private readonly rules: AddressRules;
  private readonly agent: Agent;

  constructor({ OUTBOUND_ALLOW_CIDRS }: Settings) {
    this.rules = new AddressRules(OUTBOUND_ALLOW_CIDRS);
    // Each request has its own time limit. undici's limits would end slow answers that are allowed to take longer.
    this.agent = new Agent({ connect: guardedConnect(this.rules), headersTimeout: 0, bodyTimeout: 0, allowH2: false });
  }

  /**
   * Checks an address that is to be saved; what its name resolves to is checked at each request. `member` is where the
   * address was given.
   */
  checkAddress(url: string, member: string): void {
    const reason = this.refusalOf(url);
    if (reason !== undefined) throw outboundErrors.addressNotAllowed({ member, reason });
  }

  /** Returns why no request may go to this address, as words that follow the address, or undefined. */
  refusalOf(url: string): string | undefined {
    return refusalOf(url, this.rules);
  }

  /** Whether `OUTBOUND_ALLOW_CIDRS` allows the literal address, or the loopback address, to which the URL leads. */
  isOpened(url: string): boolean {
    return isOpened(url, this.rules);
  }

  /**
   * Sends a request and returns its answer as `fetch` would, except that it follows no redirect. It uses `request` of
   * undici, because `fetch` computes more than twice as much. Throws an OutboundFault, or the signal's reason.
   */
  async fetch(url: string, init: OutboundRequest, { timeoutMs, maxBytes }: OutboundLimits): Promise<Response> {
    if (this.refusalOf(url) !== undefined) throw new OutboundFault('address');
    const late = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, late]) : late;
    const explain = (error: unknown) => toFault(error, init.signal, late);
    const endWait = beginWaiting();
    const send = () => {
      const { method = 'GET', body } = init;
      return request(url, {
        method,
        headers: headersOf(init),
        body: body instanceof URLSearchParams ? body.toString() : body,
        signal,
        dispatcher: this.agent,
        responseHeaders: 'raw',
      });
    };
    try {
      const answer = await inSpan(() => requestSpan(url, init), send);
      return await toResponse(answer, { maxBytes, explain, endWait });
    } catch (error) {
      endWait();
      throw explain(error);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }
}

function headersOf({ headers: given, body }: OutboundRequest): Headers {
  const headers = new Headers(withTraceHeaders(given));
  // It would name another host than the address that was checked, and the one whose certificate is expected.
  headers.delete('host');
  const type = typeof body === 'string' ? TEXT : body instanceof URLSearchParams ? FORM : undefined;
  const usual = { ...USUAL_HEADERS, ...(type && { 'content-type': type }) };
  for (const [name, value] of Object.entries(usual)) if (!headers.has(name)) headers.set(name, value);
  return headers;
}

interface Reading {
  maxBytes: number;
  /** Translates an error into one of this service. */
  explain: (error: unknown) => unknown;
  /** Called when the job no longer waits for the answer. */
  endWait: () => void;
}

async function toResponse(answer: Dispatcher.ResponseData, reading: Reading): Promise<Response> {
  const { statusCode, statusText, headers, body } = answer;
  // The reader of the body gets its errors. Without a listener, one that comes later would end the process.
  body.on('error', () => undefined);
  try {
    const given = new Headers(pairsOf(headers as unknown as readonly string[]));
    const init = {
      status: statusCode,
      statusText: REASON_PHRASE.test(statusText) ? statusText : '',
      headers: given,
    };
    if (!WITHOUT_BODY.has(statusCode)) {
      const unpacked = unpackedBody(body, given.get('content-encoding'), reading.maxBytes);
      return new Response(bounded(unpacked, reading), init);
    }
    // An answer 204 or 304 ends with its headers, and its connection can then serve another request.
    if (statusCode === 205) body.destroy();
    else await body.dump();
    reading.endWait();
    return new Response(null, init);
  } catch (error) {
    // `fetch` knows no such status, or no such header.
    body.destroy();
    throw error;
  }
}

/** Pairs the names and values of headers, which follow each other in the answer. */
function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) pairs.push([raw[at]!, raw[at + 1]!]);
  return pairs;
}

/** Limits an answer's body: beyond the limit reading fails and the connection is closed. */
function bounded(body: Readable, { maxBytes, explain, endWait }: Reading): ReadableStream {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
  let received = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done) {
          endWait();
          return controller.close();
        }
        received += value.byteLength;
        if (received > maxBytes) throw new OutboundFault('tooLarge');
        controller.enqueue(value);
      } catch (error) {
        endWait();
        controller.error(explain(error));
        body.destroy();
      }
    },
    cancel() {
      endWait();
      body.destroy();
    },
  });
}

function toFault(error: unknown, given: AbortSignal | null | undefined, late: AbortSignal): unknown {
  if (given?.aborted) return given.reason;
  if (late.aborted) return new OutboundFault('timeout', error);
  return faultIn(error) ?? new OutboundFault('unreachable', error);
}

/** Finds the OutboundFault that undici has wrapped in other errors. */
function faultIn(error: unknown): OutboundFault | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof OutboundFault) return at;
  return undefined;
}

/** Describes a request without its path and query, in which a stranger may have put a secret. */
function requestSpan(url: string, { method = 'GET' }: OutboundRequest) {
  const { hostname, port, protocol } = new URL(url);
  const attributes = {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  };
  return { name: `${method} ${hostname}`, kind: SpanKind.CLIENT, attributes };
}
