import { createParamDecorator, type ExecutionContext, Param } from '@nestjs/common';
import type { Request } from 'express';
import { type IdKind, toId } from '../../kernel/ids.js';

const PATH_IDS = 'slipway:path-ids';
const PATH_NAMES = 'slipway:path-names';

/** An id in the path, as `{appId}` for an app. An ill-formed one becomes an id that nothing has: not found, never a 400. */
export function PathId(kind: IdKind, name = `${kind}Id`): ParameterDecorator {
  const parameter = createParamDecorator((_: unknown, context: ExecutionContext) => {
    return toId(kind, String(context.switchToHttp().getRequest<Request>().params[name]));
  })();
  return (target, method, index) => {
    Reflect.defineMetadata(PATH_IDS, { ...pathIdsOf(target, method!), [name]: kind }, target, method!);
    parameter(target, method, index);
  };
}

/** Which of a route's path parameters are ids, and of what. */
export function pathIdsOf(controller: object, method: string | symbol): Record<string, IdKind> {
  return (Reflect.getMetadata(PATH_IDS, controller, method) ?? {}) as Record<string, IdKind>;
}

/** The names that a parameter of the path may have, and the one that is shown. */
export interface PathNames {
  names: readonly string[];
  example: string;
}

/** A name in the path, of which there are few. Another one is looked up and not found, as an id is. */
export function PathName(name: string, known: PathNames): ParameterDecorator {
  return (target, method, index) => {
    Reflect.defineMetadata(PATH_NAMES, { ...pathNamesOf(target, method!), [name]: known }, target, method!);
    Param(name)(target, method, index);
  };
}

/** Which of a route's path parameters are names of which there are few. */
export function pathNamesOf(controller: object, method: string | symbol): Record<string, PathNames> {
  return (Reflect.getMetadata(PATH_NAMES, controller, method) ?? {}) as Record<string, PathNames>;
}
