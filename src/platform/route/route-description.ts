import type { DefinedError } from '../../kernel/errors.js';
import type { Permission } from '../../kernel/permissions.js';
import type { Answer } from './answer.js';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A permission; any key of the project; an administration key; or nobody in particular. */
export type Access = Permission | 'anyKey' | 'administration' | 'public';

export interface RouteOptions<T> {
  /** There is no default: a route that does not say who may call it does not compile. */
  access: Access;
  summary: string;
  description?: string;
  returns: Answer<T>;
  status?: 200 | 201;
  /** What it refuses beyond what every route of its kind does. */
  errors?: readonly DefinedError[];
  /** The request goes on when its own key is revoked: only revoking does. */
  survivesRevocation?: boolean;
}

export interface RouteDescription extends Required<RouteOptions<unknown>> {
  verb: Verb;
  /** As in the specification, with `{name}` for a parameter. */
  path: string;
}
