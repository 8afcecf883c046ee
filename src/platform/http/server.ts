import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import type { Duplex } from 'node:stream';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';
import type { ErrorFactory } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import { errorBody } from './error-body.js';
import { httpErrors } from './http.errors.js';

/** Ten thousand session ids have to fit into one query. */
const MAX_HEADER_BYTES = 1024 * 1024;
const HEADERS_WITHIN_MS = 10_000;
/** For the slowest upload of one chunk; JSON bodies have a shorter limit of their own. */
const REQUEST_WITHIN_MS = 300_000;

/** How long requests under way may take to end when the process is told to stop. */
const DRAIN_WITHIN_MS = 10_000;
const SWEEP_EVERY_MS = 50;

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
      },
      app as (request: IncomingMessage, response: ServerResponse) => void,
    );
    server.on('clientError', answerClientError);
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    this.setHttpServer(server);
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

export function configureExpress(app: Express, trustedProxies: readonly string[]): void {
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', trustedProxies);
  // Express would cut repeated values at a thousand without a word.
  app.set('query parser', (text: string) => parse(text, undefined, undefined, { maxKeys: 0 }));
}

const CLIENT_ERRORS: Record<string, [statusLine: string, error: ErrorFactory]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', httpErrors.headersTooLarge],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', httpErrors.requestTimeout],
};

/** What is so broken or slow that it never became a request still gets an answer with an id. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [statusLine, factory] = CLIENT_ERRORS[error.code ?? ''] ?? ['400 Bad Request', httpErrors.malformedRequest];
  const requestId = newId('request');
  const body = JSON.stringify(errorBody(factory.spec, factory.spec.message, {}, requestId));
  socket.end(
    [
      `HTTP/1.1 ${statusLine}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      '',
      body,
    ].join('\r\n'),
  );
}
