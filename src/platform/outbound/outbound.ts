import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import { Agent, fetch as undiciFetch, type RequestInit as UndiciInit } from 'undici';
import { beginWaiting } from '../../kernel/waiting.js';
import { Settings } from '../config/settings.js';
import { inSpan, withTraceHeaders } from '../telemetry/tracing.js';
import { AddressRules } from './address-rules.js';
import { guardedConnect } from './guarded-connect.js';
import { outboundErrors, OutboundFault } from './outbound.errors.js';
import { isOpened, refusalOf } from './target-url.js';

export interface OutboundLimits {
  /** The time from the call to the last byte of the answer. */
  timeoutMs: number;
  /** The size of the answer's body after decompression. */
  maxBytes: number;
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
   * Sends a request as `fetch` does, except that it follows no redirect. Throws an OutboundFault, or the signal's
   * reason.
   */
  async fetch(url: string, init: RequestInit, { timeoutMs, maxBytes }: OutboundLimits): Promise<Response> {
    if (this.refusalOf(url) !== undefined) throw new OutboundFault('address');
    const late = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, late]) : late;
    const explain = (error: unknown) => toFault(error, init.signal, late);
    const endWait = beginWaiting();
    const send = async () => {
      const headers = withTraceHeaders(init.headers);
      const options = { ...init, headers, signal, redirect: 'manual', dispatcher: this.agent } as UndiciInit;
      return undiciFetch(url, options);
    };
    try {
      const response = await inSpan(() => requestSpan(url, init), send);
      return bounded(response, { maxBytes, explain, endWait });
    } catch (error) {
      endWait();
      throw explain(error);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }
}

interface Reading {
  maxBytes: number;
  /** Translates an error into one of this service. */
  explain: (error: unknown) => unknown;
  /** Called when the job no longer waits for the answer. */
  endWait: () => void;
}

/** Limits an answer's body: beyond the limit reading fails and the connection is closed. */
function bounded(response: Response, { maxBytes, explain, endWait }: Reading): Response {
  const { body, status, statusText, headers } = response;
  if (!body) {
    endWait();
    return response;
  }
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  let received = 0;
  const counted = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
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
        await reader.cancel(error).catch(() => undefined);
      }
    },
    cancel: (reason) => {
      endWait();
      return reader.cancel(reason);
    },
  });
  return new Response(counted, { status, statusText, headers: [...headers] });
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
function requestSpan(url: string, { method = 'GET' }: RequestInit) {
  const { hostname, port, protocol } = new URL(url);
  const attributes = {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  };
  return { name: `${method} ${hostname}`, kind: SpanKind.CLIENT, attributes };
}
