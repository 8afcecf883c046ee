import {
  applyDecorators,
  type ExecutionContext,
  Header,
  HttpCode,
  RequestMapping,
  RequestMethod,
  SetMetadata,
} from '@nestjs/common';
import { noteOwner } from '../../kernel/owners.js';
import { JSON_BODY } from './body-format.js';
import { DEFAULT_ERROR_SHAPE } from './error-shape.js';
import type { RouteDescription, RouteOptions, Verb } from './route-description.js';

const ROUTE = 'slipway:route';
const READING_VERBS = new Set<Verb>(['GET', 'HEAD', 'OPTIONS']);

/** A decorator that compiles only on a method that returns the route's declared result. */
type MethodReturning<T> = <Method extends (...args: never[]) => T | Promise<T>>(
  target: object,
  name: string | symbol,
  method: TypedPropertyDescriptor<Method>,
) => void;

/** Declares a route completely: its method, path, status, access, answer and errors are stated nowhere else. */
export function Route<T>(verbAndPath: `${Verb} /${string}`, options: RouteOptions<T>): MethodReturning<T> {
  const [verb, path] = verbAndPath.split(' ') as [Verb, string];
  const route = {
    status: 200,
    statusOf: null,
    right: READING_VERBS.has(verb) ? ('read' as const) : ('change' as const),
    rightIn: 'project' as const,
    otherAnswers: {},
    answersWithoutBody: {},
    permissionForOtherScopes: null,
    bodies: [JSON_BODY],
    streamedBody: null,
    rateGroup: options.access === 'public' ? null : ('DEFAULT' as const),
    headers: {},
    errors: [],
    rowsValidatedByHandler: null,
    errorShape: DEFAULT_ERROR_SHAPE,
    takesIdempotencyKey: verb === 'POST' && options.access !== 'public',
    takesMethodOverride: false,
    acceptsBearer: false,
    survivesRevocation: false,
    identifiesAdministrators: options.access === 'administration',
    description: '',
    operationId: '',
    ...options,
    verb,
    path,
  } as const;
  const { contentType } = options.returns;
  return applyDecorators(
    RequestMapping({ path: path.replace(/\{(\w+)\}/g, ':$1'), method: RequestMethod[verb] }),
    HttpCode(route.status),
    SetMetadata(ROUTE, route),
    (target: object) => noteOwner(target.constructor),
    ...(contentType === undefined ? [] : [Header('content-type', contentType)]),
  );
}

/** Declares a route of the administration, under `/api/admin/v1`. */
export function AdminRoute<T>(
  verbAndPath: `${Verb} /${string}`,
  options: Omit<RouteOptions<T>, 'access'>,
): MethodReturning<T> {
  const [verb, path] = verbAndPath.split(' ') as [Verb, string];
  return Route(`${verb} /api/admin/v1${path}`, { ...options, access: 'administration' });
}

export function routeOf(context: ExecutionContext): RouteDescription {
  const route = findRoute(context.getHandler());
  if (!route) throw new Error(`${context.getClass().name}.${context.getHandler().name} is not a @Route`);
  return route;
}

export function findRoute(handler: object): RouteDescription | undefined {
  return Reflect.getMetadata(ROUTE, handler) as RouteDescription | undefined;
}
