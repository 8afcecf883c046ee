import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { sayPlainly } from '../kernel/validation-messages.js';
import { Settings } from './config/settings.js';
import { serveDocumentation } from './http/documentation.js';
import { httpErrors } from './http/http.errors.js';
import { requestMiddleware } from './http/request.middleware.js';
import { configureExpress, HardenedExpressAdapter } from './http/server.js';
import { Log, toNestLogger } from './telemetry/log.js';

/** The application, wired; it has not yet asked anything of the database. */
export async function createApplication(root: Type): Promise<NestExpressApplication> {
  sayPlainly();
  const app = await NestFactory.create<NestExpressApplication>(root, new HardenedExpressAdapter(), {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  const settings = app.get(Settings);
  const log = app.get(Log);
  app.useLogger(toNestLogger(log));

  configureExpress(app.getHttpAdapter().getInstance(), settings.TRUST_PROXY);
  app.use(requestMiddleware(log));
  app.use(securityHeaders(settings));
  if (settings.CORS_ORIGINS.length > 0) {
    app.enableCors({
      origin: settings.CORS_ORIGINS,
      exposedHeaders: ['x-request-id', 'x-correlation-id', 'retry-after', 'ratelimit', 'ratelimit-policy'],
    });
  }
  if (settings.SLIPWAY_ROLE === 'worker') app.use(onlyHealth);
  else serveDocumentation(app);

  return app;
}

/** A worker is asked by whoever watches it, and by nobody else. */
function onlyHealth({ path, method }: Request, _response: Response, next: NextFunction): void {
  next(path.startsWith('/health/') ? undefined : httpErrors.routeNotFound({ method }));
}

function securityHeaders({ PUBLIC_URL }: Settings) {
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    strictTransportSecurity: PUBLIC_URL?.startsWith('https:') ?? false,
    xPoweredBy: false,
  });
}
