import type { INestApplication } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { exampleId, type IdKind } from '../../kernel/ids.js';
import { exampleSources } from './example-source.js';
import { openApiDocument } from './openapi.js';
import { Prepared } from './prepared.js';
import { startSwaggerUi } from './swagger-ui.page.js';

/** Swagger UI at /docs and the document at /openapi.json. Anyone may ask for it, so it is made once and kept as bytes. */
export function serveDocumentation(app: INestApplication): void {
  const document = once(() => servedDocument(app));
  const serve = (path: string, type: string, render: (document: string) => string) => {
    const prepared = once(async () => Prepared.of(type, render(await document())));
    app.getHttpAdapter().get(path, async (request: Request, response: Response) => {
      (await prepared()).sendTo(request, response);
    });
  };
  serve('/openapi.json', 'application/json; charset=utf-8', (text) => text);
  app.use('/docs', allowSwaggerUi);
  // Instead of what Nest's module would send, which has the document in it for the page to parse as YAML.
  serve(
    '/docs/swagger-ui-init.js',
    'text/javascript; charset=utf-8',
    (text) => `(${startSwaggerUi.toString()})(${text});\n`,
  );
  SwaggerModule.setup('docs', app, () => ({ openapi: '3.1.0', info: { title: '', version: '' }, paths: {} }), {
    raw: false,
    customSiteTitle: 'Slipway API',
  });
}

/** What fails is made anew for the next one who asks. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

/** As it is in the repository, but with ids that this service knows in its examples, where there are some. */
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
  // Nobody should delete what there is to try by trying it.
  const filledPaths = Object.entries(paths).map(([path, operations]) => {
    const { delete: untouched } = operations;
    return [path, { ...filled(operations), ...(untouched && { delete: untouched }) }] as const;
  });
  return JSON.stringify({ ...filled(rest), paths: Object.fromEntries(filledPaths) });
}

/** The one page here that runs scripts and styles: its own. */
function allowSwaggerUi(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader(
    'content-security-policy',
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'",
  );
  next();
}
