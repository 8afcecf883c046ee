import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import type { Settings } from '../config/settings.js';

/**
 * Sets the headers of helmet, which are the same for every answer, so they are computed once. No cache keeps an answer
 * unless its route says so, because browsers of the console send a cookie, which caches may take for public.
 */
export function securityHeaders({ PUBLIC_URL }: Settings) {
  const headers = headersOf(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
      strictTransportSecurity: PUBLIC_URL?.startsWith('https:') ?? false,
      xPoweredBy: false,
    }),
  );
  headers.set('cache-control', 'no-store');
  return (_request: Request, response: Response, next: NextFunction): void => {
    response.setHeaders(headers);
    next();
  };
}

function headersOf(middleware: ReturnType<typeof helmet>): Map<string, string> {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  middleware(request, response, () => undefined);
  return new Map(Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]));
}
