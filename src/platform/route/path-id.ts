import { createParamDecorator, type ExecutionContext, Param } from '@nestjs/common';
import type { Request } from 'express';
import { type IdKind, refuseUnknownKind, toId } from '../../kernel/ids.js';
import { currentRequest } from '../context/request-context.js';

const PATH_IDS = 'slipway:path-ids';
const PATH_NAMES = 'slipway:path-names';

/**
 * Binds an id in the path, such as `{appId}` for an app. An ill-formed id becomes an id that no row has, so it is
 * answered with 404 and never with 400. The same happens to the id of a row that the caller must not see.
 */
export function PathId(kind: IdKind, name = `${kind}Id`): ParameterDecorator {
  refuseUnknownKind(kind);
  const parameter = createParamDecorator((_: unknown, context: ExecutionContext) => {
    const given = context.switchToHttp().getRequest<Request>().params[name];
    return toId(kind, currentRequest()?.hidesPathIds ? '' : String(given));
  })();
  return (target, method, index) => {
    Reflect.defineMetadata(PATH_IDS, { ...pathIdsOf(target, method!), [name]: kind }, target, method!);
    parameter(target, method, index);
  };
}

/** Returns which of a route's path parameters are ids, and of which kind. */
export function pathIdsOf(controller: object, method: string | symbol): Record<string, IdKind> {
  return (Reflect.getMetadata(PATH_IDS, controller, method) ?? {}) as Record<string, IdKind>;
}

/** The values that a parameter of the path may have, and the one that examples show. */
export interface PathNames {
  names: readonly string[];
  example: string;
}

/**
 * Binds a name in the path that has few possible values. The handler answers any other value with 404, as an unknown
 * id.
 */
export function PathName(name: string, known: PathNames): ParameterDecorator {
  return (target, method, index) => {
    Reflect.defineMetadata(PATH_NAMES, { ...pathNamesOf(target, method!), [name]: known }, target, method!);
    Param(name)(target, method, index);
  };
}

/** Returns which of a route's path parameters are names, and their possible values. */
export function pathNamesOf(controller: object, method: string | symbol): Record<string, PathNames> {
  return (Reflect.getMetadata(PATH_NAMES, controller, method) ?? {}) as Record<string, PathNames>;
}
