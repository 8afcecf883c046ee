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
import { metaOf } from '../route/answer.js';
import { errorBody } from '../route/error-body.js';
import { OwnReply } from '../transfer/own-reply.js';
import { httpErrors } from '../route/http.errors.js';

/** Ten thousand session ids have to fit into one query. */
const MAX_HEADER_BYTES = 1024 * 1024;
const HEADERS_WITHIN_MS = 10_000;
/** For the slowest upload of one chunk; JSON bodies have a shorter limit of their own. */
const REQUEST_WITHIN_MS = 300_000;

/** How long requests under way may take to end when the process is told to stop. */
const DRAIN_WITHIN_MS = 10_000;
const SWEEP_EVERY_MS = 50;
/** How long a client may take to close a connection on which it was told off. */
const LINGER_MS = 1_000;
/** Requests that may wait on a connection for the one before them. */
const MAX_PIPELINED = 32;
/** A client that reads nothing for so long while something waits for it is cut. */
const READ_WITHIN_MS = 30_000;

/** Express on a server that bounds what a client may send and how slowly. */
export class HardenedExpressAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    const server = createServer(
      {
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: HEADERS_WITHIN_MS,
        requestTimeout: REQUEST_WITHIN_MS,
        keepAliveTimeout: 65_000,
        connectionsCheckingInterval: 1_000,
        // Refused by isAddressed, so that the refusal gets an id like any other.
        requireHostHeader: false,
      },
      (request: IncomingMessage, response: ServerResponse) => {
        if (isAddressed(request)) inTurn(response, () => (app as RequestListener)(request, response));
        else answerRaw(request.socket, httpErrors.malformedRequest());
      },
    );
    server.on('clientError', answerClientError);
    server.on('connect', (_request, socket: Duplex) =>
      answerRaw(socket, httpErrors.methodNotAllowed({ method: 'CONNECT', allowed: 'ordinary requests' })),
    );
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    server.on('connection', cutSlowReader);
    this.setHttpServer(server);
  }

  override reply(response: Response, body: unknown, status?: number): unknown {
    if (body instanceof OwnReply) return body.sendTo(response);
    return super.reply(response, body, status);
  }

  /** Ends connections as their requests end: a client that keeps one open would hold up the stop. */
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
 * HTTP lets a client send its next requests without waiting for answers. Here each begins when the one before is
 * answered, so that one connection takes no more of the process than one client that waits.
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

/** Has a path that leads somewhere, and names one host. */
function isAddressed({ url = '', httpVersion, rawHeaders }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
  const hasHost = hosts === 1 || (hosts === 0 && httpVersion === '1.0');
  return hasHost && (url.startsWith('/') ? true : /^https?:/.test(url) && URL.canParse(url));
}

/** Looks at the connection now and then: bytes that wait and do not become fewer are not being read. */
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
  // Paths are exact. Nest's adapter has made the router by now, so its own settings are what counts.
  Object.assign(app.router, { caseSensitive: true, strict: true });
  app.set('trust proxy', trustedProxies);
  // Express would cut repeated values at a thousand without a word.
  app.set('query parser', (text: string) =>
    parse(text, undefined, undefined, { maxKeys: 0, decodeURIComponent: decode }),
  );
}

/** What is not UTF-8 becomes a lone surrogate, which is refused like one in a body; Node would put U+FFFD there. */
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

/** What is so broken or slow that it never became a request still gets an answer with an id. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const make = CLIENT_ERRORS[error.code ?? ''] ?? httpErrors.malformedRequest;
  answerRaw(socket, make());
}

/** To a connection on which there is no request that could be answered in the ordinary way. */
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
