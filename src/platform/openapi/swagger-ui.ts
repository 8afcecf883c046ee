import type { INestApplication } from '@nestjs/common';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { openApiDocument } from './openapi.js';

/** Swagger UI at /docs and the document at /openapi.json. Anyone may ask for it, so it is made once and kept as bytes. */
export function serveDocumentation(app: INestApplication): void {
  let document: OpenAPIObject | undefined;
  let bytes: Buffer | undefined;
  const lazily = () => (document ??= openApiDocument(app));
  app.use('/docs', allowSwaggerUi);
  app.getHttpAdapter().get('/openapi.json', (_request: Request, response: Response) => {
    bytes ??= Buffer.from(JSON.stringify(lazily()));
    response.type('application/json').send(bytes);
  });
  SwaggerModule.setup('docs', app, lazily, {
    raw: false,
    customSiteTitle: 'Slipway API',
    swaggerOptions: {
      persistAuthorization: true,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      filter: true,
      docExpansion: 'none',
    },
  });
}

/** The one page here that runs scripts and styles: its own. */
function allowSwaggerUi(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader(
    'content-security-policy',
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'",
  );
  next();
}
