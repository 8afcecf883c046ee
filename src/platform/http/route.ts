import {
  applyDecorators,
  type ExecutionContext,
  HttpCode,
  RequestMapping,
  RequestMethod,
  SetMetadata,
} from '@nestjs/common';
import { documentRoute } from './route-documentation.js';
import type { RouteDescription, RouteOptions, Verb } from './route-description.js';

const ROUTE = 'slipway:route';
const JSON_BODY_BYTES = 1024 * 1024;

/** A route, whole: method, path, status, access, limits and documentation are said here and nowhere else. */
export function Route(verbAndPath: `${Verb} /${string}`, options: RouteOptions): MethodDecorator {
  const [verb, path] = verbAndPath.split(' ') as [Verb, string];
  const route: RouteDescription = {
    status: 200,
    envelope: 'none',
    errors: [],
    rateGroup: 'DEFAULT',
    maxBodyBytes: JSON_BODY_BYTES,
    survivesRevocation: false,
    description: undefined,
    ...options,
    verb,
    path,
  };
  return applyDecorators(
    RequestMapping({ path: path.replace(/\{(\w+)\}/g, ':$1'), method: RequestMethod[verb] }),
    HttpCode(route.status),
    SetMetadata(ROUTE, route),
    documentRoute(route),
  );
}

export function routeOf(context: ExecutionContext): RouteDescription {
  const route = findRoute(context.getHandler());
  if (!route) throw new Error(`${context.getClass().name}.${context.getHandler().name} is no @Route`);
  return route;
}

export function findRoute(handler: object): RouteDescription | undefined {
  return Reflect.getMetadata(ROUTE, handler) as RouteDescription | undefined;
}
