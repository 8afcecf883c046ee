import type { z } from 'zod';
import type { ErrorFactory } from '../../kernel/errors.js';
import type { Permission } from '../../kernel/permissions.js';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A permission; any key of the project; an administration key; or nobody in particular. */
export type Access = Permission | 'anyKey' | 'administration' | 'public';

/** How a result leaves: as it is; with `success` and `meta` beside it; or under `data` (a page: with its cursor). */
export type Envelope = 'none' | 'success' | 'data' | 'page';

/** Routes that share a count for each key. Its limit is the setting `RATE_LIMIT_<group>`. */
export type RateGroup = 'DEFAULT';

export interface RouteOptions {
  /** There is no default: a route that does not say who may call it does not compile. */
  access: Access;
  summary: string;
  description?: string;
  /** What the controller's method returns; the envelope goes around it. */
  returns: z.ZodType;
  status?: 200 | 201 | 202;
  envelope?: Envelope;
  /** What it refuses beyond what every route of its kind does. */
  errors?: ErrorFactory[];
  rateGroup?: RateGroup;
  maxBodyBytes?: number;
  /** The request goes on when its own key is revoked: only revoking does. */
  survivesRevocation?: boolean;
}

export interface RouteDescription extends Required<Omit<RouteOptions, 'description'>> {
  description: string | undefined;
  verb: Verb;
  /** As in the specification, with `{name}` for a parameter. */
  path: string;
}
