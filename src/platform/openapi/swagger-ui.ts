import type { INestApplication } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { exampleId, type IdKind } from '../../kernel/ids.js';
import { once } from '../../kernel/once.js';
import { exampleSources } from './example-source.js';
import { openApiDocument } from './openapi.js';
import { httpErrors } from '../route/http.errors.js';
import { RouteIndex } from '../route/route-index.js';
import { PrecompressedContent } from '../transfer/precompressed-content.js';
import { startSwaggerUi } from './swagger-ui.page.js';

const DOCUMENT = '/openapi.json';
const PAGE = '/docs';
/** Replaces the script of Nest's module, which contains the document as text that the page parses as YAML. */
const SCRIPT = `${PAGE}/swagger-ui-init.js`;

export const DOCUMENTATION_PATHS: readonly string[] = [DOCUMENT, PAGE, `${PAGE}/index.html`, SCRIPT];

/**
 * Serves Swagger UI at /docs and the document at /openapi.json. Any stranger may ask for them, so they are rendered
 * once and kept as bytes.
 */
export function serveDocumentation(app: INestApplication): void {
  const document = once(() => servedDocument(app));
  const serve = (path: string, type: string, render: (document: string) => string) => {
    const prepared = once(async () => PrecompressedContent.of(type, render(await document())));
    app.getHttpAdapter().get(path, async (request: Request, response: Response) => {
      (await prepared()).sendTo(request, response);
    });
  };
  app.use([DOCUMENT, PAGE], onlyReading(app.get(RouteIndex)));
  serve(DOCUMENT, 'application/json; charset=utf-8', (text) => text);
  app.use(PAGE, allowSwaggerUi);
  serve(SCRIPT, 'text/javascript; charset=utf-8', (text) => `(${startSwaggerUi.toString()})(${text});\n`);
  SwaggerModule.setup(PAGE, app, () => ({ openapi: '3.1.0', info: { title: '', version: '' }, paths: {} }), {
    raw: false,
    customSiteTitle: 'Slipway API',
  });
}

const METHODS = 'GET, HEAD';

/** Refuses other methods than those that read, unless the address is that of a route, which refuses them itself. */
function onlyReading(routes: RouteIndex) {
  return ({ method, baseUrl, path }: Request, _response: Response, next: NextFunction): void => {
    const isTaken = method === 'GET' || method === 'HEAD' || routes.on(baseUrl + path).length > 0;
    next(
      isTaken ? undefined : httpErrors.methodNotAllowed({ method, allowed: METHODS }, { headers: { allow: METHODS } }),
    );
  };
}

/**
 * Renders the document of the repository, with ids of existing rows in its examples if example sources provide them.
 */
async function servedDocument(app: INestApplication): Promise<string> {
  const sources = exampleSources.find(app.get(DiscoveryService, { strict: false }));
  const known = await Promise.all(sources.map((source) => source.ids()));
  const ids = Object.entries(Object.assign({}, ...known) as Partial<Record<IdKind, string>>);
  const filled = <Part extends object>(part: Part): Part =>
    JSON.parse(
      ids.reduce(
        (text, [kind, id]) => text.replaceAll(new RegExp(`(?<![\\w-])${exampleId(kind as IdKind)}`, 'g'), id),
        JSON.stringify(part),
      ),
    ) as Part;
  const { paths, ...rest } = openApiDocument(app);
  // A user who tries a DELETE should not delete the rows of the other examples.
  const filledPaths = Object.entries(paths).map(([path, operations]) => {
    const { delete: untouched } = operations;
    return [path, { ...filled(operations), ...(untouched && { delete: untouched }) }] as const;
  });
  return JSON.stringify({ ...filled(rest), paths: Object.fromEntries(filledPaths) });
}

/** Swagger UI is the only page of the service that needs scripts and styles, so its policy allows its own. */
function allowSwaggerUi(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader(
    'content-security-policy',
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'",
  );
  next();
}
