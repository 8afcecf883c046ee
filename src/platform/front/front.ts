import { z } from 'zod';
import { html, Page } from '../transfer/page.js';

const path = (example: string) => z.string().meta({ examples: [example] });

export const FrontView = z
  .object({
    name: z.literal('Slipway'),
    documentation: path('/docs'),
    openapi: path('/openapi.json'),
    asyncapi: path('/asyncapi.json'),
    errors: path('/docs/errors'),
    health: path('/health/ready'),
  })
  .meta({ id: 'Front' });

export const FRONT: z.output<typeof FrontView> = {
  name: 'Slipway',
  documentation: '/docs',
  openapi: '/openapi.json',
  asyncapi: '/asyncapi.json',
  errors: '/docs/errors',
  health: '/health/ready',
};

export function frontPage(): Page {
  const { documentation, openapi, asyncapi, errors, health } = FRONT;
  const body = html`<p>
      The self-hosted backend for conversational agents runs here. It is an HTTP API: programs speak to it with an API
      key, in the header <code>x-api-key</code>.
    </p>
    <ul>
      <li><a href="${documentation}">Swagger UI</a>: read the API and try it out</li>
      <li><a href="${openapi}">OpenAPI</a> document of the API, <a href="${asyncapi}">AsyncAPI</a> of its callbacks</li>
      <li><a href="${errors}">Error codes</a>, and what to do about each</li>
      <li><a href="${health}">Health</a> of this process</li>
    </ul>`;
  return new Page({ title: 'Slipway', body });
}
