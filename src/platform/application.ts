import type { Type } from '@nestjs/common';
import { DiscoveryService, NestFactory } from '@nestjs/core';
import { RuntimeException } from '@nestjs/core/errors/exceptions/runtime.exception.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { StartError } from '../kernel/start-error.js';
import { usePlainValidationMessages } from '../kernel/validation-messages.js';
import { refuseRoutesWithoutProject } from './auth/first-id.js';
import { Settings } from './config/settings.js';
import { CONSOLE_PATH, serveConsole } from './console/console-files.js';
import { ProjectsOfRows } from './database/in-project.js';
import { refuseTwinsOfMarks } from './extension/named-mark.js';
import { refuseUnprovided } from './extension/marked-classes.js';
import { refuseWrongSorts } from './list/list.js';
import { refuseSharedNames } from './openapi/document-names.js';
import { DOCUMENTATION_PATHS, serveDocumentation } from './openapi/swagger-ui.js';
import { installedPlugins } from './plugins/installed-plugins.js';
import { JobHandlers } from './queue/job-handlers.js';
import { QUEUE_BOARD_PATH, QueueBoard } from './queue/administration/queue-board.js';
import { httpErrors } from './route/http.errors.js';
import { RouteIndex } from './route/route-index.js';
import { HttpMetrics } from './http/http-metrics.js';
import { methodOverride } from './http/method-override.js';
import { requestMiddleware } from './http/request.middleware.js';
import { securityHeaders } from './http/security-headers.js';
import { configureExpress, HardenedExpressAdapter } from './http/server.js';
import { Stopping } from './http/stopping.js';
import { ChosenStorage } from './storage/chosen-storage.js';
import { Log, RequestLog, toNestLogger } from './telemetry/log.js';

/** The paths that are answered without a route, also those that a setting can switch off. */
const SERVED_PATHS = [
  ...DOCUMENTATION_PATHS,
  ...[CONSOLE_PATH, QUEUE_BOARD_PATH].flatMap((path) => [path, `${path}/*`]),
];

/** Wires the application. It has sent nothing to the database yet. */
export async function createApplication(root: Type): Promise<NestExpressApplication> {
  usePlainValidationMessages();
  const app = await NestFactory.create<NestExpressApplication>(root, new HardenedExpressAdapter(), {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  }).catch(fail);
  const settings = app.get(Settings);
  app.useLogger(toNestLogger(app.get(Log)));

  const discovery = app.get(DiscoveryService, { strict: false });
  refuseUnprovided(discovery);
  refuseTwinsOfMarks(discovery);
  app.get(JobHandlers).findHandlers();
  refuseWrongSorts();
  const routes = app.get(RouteIndex);
  routes.refuseOddPaths();
  routes.refuseTwins(SERVED_PATHS);
  routes.refuseUnknownAccess();
  // The names of Slipway alone are compared when its document is made, because each start would take 14 ms longer.
  if (installedPlugins().length > 0) refuseSharedNames(routes.all());
  refuseRoutesWithoutProject(routes.all(), app.get(ProjectsOfRows));
  await app.get(ChosenStorage).refuseWrongAddress();
  configureExpress(app.getHttpAdapter().getInstance(), settings.TRUST_PROXY);
  app.use(requestMiddleware(app.get(RequestLog), app.get(HttpMetrics), app.get(Stopping)));
  app.use(securityHeaders(settings));
  app.use(methodOverride(routes));
  if (settings.CORS_ORIGINS.length > 0) {
    const exposedHeaders = [
      ...declaredHeaders(routes),
      'x-request-id',
      'x-correlation-id',
      'x-error-code',
      'idempotency-replayed',
      'x-next-cursor',
      'retry-after',
      'ratelimit',
      'ratelimit-policy',
    ];
    app.enableCors((request: Request, done: (error: null, options: object) => void) => {
      // Only with this header is it the question of a browser. Others are for a route.
      const preflightContinue = request.headers['access-control-request-method'] === undefined;
      done(null, { origin: settings.CORS_ORIGINS, exposedHeaders, preflightContinue });
    });
  }
  if (settings.SLIPWAY_ROLE === 'worker') app.use(onlyMonitoring);
  else {
    serveDocumentation(app);
    if (settings.CONSOLE === 'on') {
      serveConsole(app);
      app.get(QueueBoard).serveOn(app);
    }
  }

  return app;
}

/** Keeps the sentence of Nest about modules that do not fit together. Its hints and its stack follow an empty line. */
function fail(error: unknown): never {
  if (!(error instanceof RuntimeException)) throw error;
  const [sentence] = error.message.split('\n\n');
  throw new StartError(`The modules do not fit together: ${sentence!.replaceAll('\n', ' ')}`, { cause: error });
}

/** The headers that only the answers of some routes have. */
function declaredHeaders(index: RouteIndex): string[] {
  const names = index
    .all()
    .flatMap(({ headers, returns }) => [...Object.keys(headers), ...Object.keys(returns.headers ?? {})]);
  return [...new Set(names)];
}

/** A worker answers only the routes for monitoring. */
function onlyMonitoring({ path, method }: Request, _response: Response, next: NextFunction): void {
  next(path.startsWith('/health/') || path === '/metrics' ? undefined : httpErrors.routeNotFound({ method }));
}
