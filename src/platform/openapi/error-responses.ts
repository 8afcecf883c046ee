import type { OpenAPIObject } from '@nestjs/swagger';
import { type ErrorSpec, exampleError } from '../../kernel/errors.js';
import { exampleOf } from '../../kernel/schema-example.js';
import { Meta } from '../route/answer.js';
import { errorBody } from '../route/error-body.js';
import { type ErrorShape, DEFAULT_ERROR_SHAPE, statusIn } from '../route/error-shape.js';
import type { IndexedRoute } from '../route/route-index.js';
import { mediaContent } from './media-content.js';
import { headersOfError, isCounted } from './response-headers.js';
import { errorsOf } from './route-documentation.js';

type Components = NonNullable<OpenAPIObject['components']>;
type Response = NonNullable<Components['responses']>[string];

/** Many routes have the same refusals, so each response is a component and the routes refer to it. */
export function documentErrors(document: OpenAPIObject, routes: IndexedRoute[]): Components {
  const shared: Record<string, Response> = {};
  for (const route of routes) {
    const operation = document.paths[route.path]![route.verb.toLowerCase() as 'post']!;
    const specs = errorsOf(route).map((error) => error.spec);
    const statusOf = (spec: ErrorSpec) => statusIn(route.errorShape, spec, route.verb);
    for (const [status, ofStatus] of Map.groupBy(specs, statusOf)) {
      const name = nameOf(route, ofStatus);
      shared[name] ??= responseOf(route, status, ofStatus);
      operation.responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return { responses: shared, examples: examplesOf(routes) };
}

/** Names a response by all that it depends on: its codes, the shape of its body, and the headers that others lack. */
function nameOf(route: IndexedRoute, specs: ErrorSpec[]): string {
  const { name } = route.errorShape;
  return [
    ...(name === DEFAULT_ERROR_SHAPE.name ? [] : [name]),
    ...(isCounted(route) ? [] : ['uncounted']),
    ...(route.verb === 'HEAD' ? ['head'] : []),
    ...Object.keys(route.headers),
    specs.map(({ code }) => code).join('-'),
  ].join('.');
}

function responseOf(route: IndexedRoute, status: number, specs: ErrorSpec[]): Response {
  const { errorShape } = route;
  const description = specs.map(({ code }) => `\`${code}\``).join(', ');
  const headers = headersOfError(route, status, specs);
  if (route.verb === 'HEAD') return { description, headers };
  return {
    description,
    headers,
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${errorShape.schema.meta()!.id}` },
        examples: Object.fromEntries(specs.map((spec) => [spec.code, exampleIn(errorShape, spec)])),
      },
      ...(errorShape.page && { 'text/html': mediaContent('text/html') }),
    },
  };
}

function exampleIn(shape: ErrorShape, spec: ErrorSpec) {
  if (shape.name === DEFAULT_ERROR_SHAPE.name) return { $ref: `#/components/examples/${spec.code}` };
  return { value: shape.body(exampleError(spec), exampleOf(Meta) as Meta) };
}

function examplesOf(routes: IndexedRoute[]): Record<string, { value: object }> {
  const meta = exampleOf(Meta) as Meta;
  const usual = routes.filter(({ errorShape }) => errorShape.name === DEFAULT_ERROR_SHAPE.name);
  const specs = new Set(usual.flatMap(errorsOf).map(({ spec }) => spec));
  return Object.fromEntries([...specs].map((spec) => [spec.code, { value: errorBody(exampleError(spec), meta) }]));
}
