import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { parse } from 'node:querystring';
import type { Duplex } from 'node:stream';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Response } from 'express';
import type { SlipwayError } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import { credentialOf } from '../auth/credential.js';
import { metaOf } from '../route/answer.js';
import { errorBody } from '../route/error-body.js';
import { OwnReply } from '../transfer/own-reply.js';
import { httpErrors } from '../route/http.errors.js';
import { Arrivals } from './arrivals.js';
import { mayTakeLong } from './long-requests.js';

/** The new connections that the kernel keeps until they are accepted. Linux limits it to 4,096 by default. */
const BACKLOG = 4_096;
/** Allows 10,000 session ids in one query. */
const MAX_HEADER_BYTES = 1024 * 1024;
const HEADERS_WITHIN_MS = 10_000;
/** Allows the slowest upload of one chunk. JSON bodies have a shorter limit of their own. */
const REQUEST_WITHIN_MS = 300_000;

/** The time in which current requests have to end after the process has received a stop signal. */
const DRAIN_WITHIN_MS = 10_000;
const SWEEP_EVERY_MS = 50;
/** The time in which a client has to close a connection on which its request was refused. */
const LINGER_MS = 1_000;
/** The number of requests that may wait on a connection for the one before them. */
const MAX_PIPELINED = 32;
/** A connection is closed if its client reads nothing for this long while bytes wait for it. */
const READ_WITHIN_MS = 30_000;

/** Express on a server that bounds what a client may send and how slowly. */
export class HardenedExpressAdapter extends ExpressAdapter {
  private readonly arrivals = new Arrivals();

  override initHttpServer(): void {
    const server = createServer(
      {
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: HEADERS_WITHIN_MS,
        requestTimeout: REQUEST_WITHIN_MS,
        keepAliveTimeout: 65_000,
        connectionsCheckingInterval: 1_000,
        // `isAddressed` refuses such a request, so that the refusal has an id like any other.
        requireHostHeader: false,
      },
      (request: IncomingMessage, response: ServerResponse) => {
        if (isAddressed(request)) inTurn(response, () => this.begin(request, response));
        else answerRaw(request.socket, httpErrors.malformedRequest());
      },
    );
    server.on('clientError', answerClientError);
    server.on('connect', (_request, socket: Duplex) =>
      answerRaw(socket, httpErrors.methodNotAllowed({ method: 'CONNECT', allowed: 'ordinary requests' })),
    );
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    server.on('connection', (socket) => {
      cutSlowReader(socket);
      this.arrivals.connectionAccepted();
    });
    this.setHttpServer(server);
  }

  override listen(port: number | string, ...rest: (string | (() => void) | undefined)[]): Server {
    const host = rest.find((value) => typeof value === 'string');
    const callback = rest.find((value) => typeof value === 'function');
    const server = this.getHttpServer() as Server;
    return server.listen({ port: Number(port), host, backlog: BACKLOG }, callback);
  }

  override reply(response: Response, body: unknown, status?: number): unknown {
    if (body instanceof OwnReply) return body.sendTo(response);
    return super.reply(response, body, status);
  }

  private begin(request: IncomingMessage, response: ServerResponse): void {
    const app = this.getInstance<Express>() as RequestListener;
    const begin = () => {
      // The client of a request that has waited may have left.
      if (!response.destroyed) app(request, response);
    };
    // Balancers and supervisors would take a process that answers them late for one that is dead.
    if (request.url?.startsWith('/health/')) begin();
    else this.arrivals.requestRead(credentialOf(request), begin);
  }

  /** Closes each connection when its request ends, because a client that keeps one open would delay the stop. */
  override async close(): Promise<void> {
    const server = this.getHttpServer() as Server;
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS);
    const cut = setTimeout(() => server.closeAllConnections(), DRAIN_WITHIN_MS);
    await super.close();
    clearInterval(sweep);
    clearTimeout(cut);
  }
}

const turns = new WeakMap<ServerResponse['req']['socket'], (() => void)[]>();

/**
 * Begins each pipelined request of a connection when the one before it is answered. A client may send them all at once,
 * and would otherwise use more of the process than a client that waits.
 */
function inTurn(response: ServerResponse, begin: () => void): void {
  const { socket } = response.req;
  const waiting = turns.get(socket);
  response.once('close', () => {
    const next = turns.get(socket)?.shift();
    if (next) next();
    else turns.delete(socket);
  });
  if (!waiting) {
    turns.set(socket, []);
    begin();
  } else if (waiting.length < MAX_PIPELINED) {
    waiting.push(begin);
  } else {
    socket.destroy();
  }
}

/** Whether the request has a usable path and exactly one `Host`, which RFC 9112 demands from HTTP/1.1. */
function isAddressed({ url = '', httpVersion, rawHeaders }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
  const hasHost = hosts === 1 || (hosts === 0 && httpVersion === '1.0');
  return hasHost && (url.startsWith('/') ? true : /^https?:/.test(url) && URL.canParse(url));
}

/** Closes the connection if the bytes that wait for its client have not become fewer during one interval. */
function cutSlowReader(socket: Socket): void {
  let waiting = 0;
  const look = setInterval(() => {
    if (waiting > 0 && socket.writableLength >= waiting) socket.destroy();
    waiting = socket.writableLength;
  }, READ_WITHIN_MS).unref();
  socket.once('close', () => clearInterval(look));
}

export function configureExpress(app: Express, trustedProxies: readonly string[]): void {
  app.disable('x-powered-by');
  app.disable('etag');
  // Paths are exact. Nest's adapter has created the router already, so settings of the app would come too late for it.
  Object.assign(app.router, { caseSensitive: true, strict: true });
  app.set('trust proxy', trustedProxies);
  // By default, Express would drop all values after the first thousand without an error.
  app.set('query parser', (text: string) =>
    parse(text, undefined, undefined, { maxKeys: 0, decodeURIComponent: decode }),
  );
}

/**
 * Replaces a value that is not UTF-8 by a lone surrogate, which is refused as one in a body is. Node would replace it
 * by U+FFFD, and the request would be accepted with another value than the client sent.
 */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '\ud800';
  }
}

const CLIENT_ERRORS: Record<string, () => SlipwayError> = {
  HPE_HEADER_OVERFLOW: httpErrors.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: httpErrors.requestTimeout,
};

/** Answers bytes that are too broken or too slow to become a request. The answer has an id like any other. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && mayTakeLong(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const make = CLIENT_ERRORS[error.code ?? ''] ?? httpErrors.malformedRequest;
  answerRaw(socket, make());
}

/** Writes the answer to the socket, because there is no request that Express could answer. */
function answerRaw(socket: Duplex, error: SlipwayError): void {
  const { status } = error.spec;
  const requestId = newId('request');
  const body = JSON.stringify(errorBody(error, metaOf(requestId)));
  socket.on('error', () => socket.destroy());
  const cut = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(cut));
  socket.resume();
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      '',
      body,
    ].join('\r\n'),
  );
}
