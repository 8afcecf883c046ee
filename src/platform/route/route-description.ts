import type { DefinedError } from '../../kernel/errors.js';
import type { Access, Permission } from '../../kernel/permissions.js';
import type { AdminRight } from '../../kernel/roles.js';
import type { Answer } from './answer.js';
import type { BodyFormat, StreamedBody } from './body-format.js';
import type { ErrorShape } from './error-shape.js';
import type { RateGroup } from './rate-group.js';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';

export interface RouteOptions<T> {
  /** There is no default, so a route that does not declare its access does not compile. */
  access: Access;
  /** The right that an administrator needs. The default is `read` for GET, HEAD and OPTIONS, and `change` for others. */
  right?: AdminRight;
  /**
   * Where an administrator needs the right. The default is `project`: a role suffices in the project that the path or
   * the query names, or in that of the first id in the path. For `anyProject`, a role in any project suffices, and the
   * handler answers about the visible projects alone. For `installation`, roles in projects do not count.
   */
  rightIn?: 'project' | 'anyProject' | 'installation';
  /** The permission that is also needed for a resource that keys of another scope or an administrator created. */
  permissionForOtherScopes?: Permission | null;
  summary: string;
  description?: string;
  /** The name in generated clients, if the specification has one. The default is made from controller and method. */
  operationId?: string;
  returns: Answer<T>;
  status?: 200 | 201 | 202 | 204;
  /** Derives another status than the declared one from the result, so that a repeated request gets the same status. */
  statusOf?: ((result: NoInfer<T>) => number) | null;
  /** The answers with other statuses. They have the same schema, and a description and an example of their own. */
  otherAnswers?: Partial<Record<200 | 201 | 202, { description: string; example: object }>>;
  /** The descriptions, by status, of answers that have no body. */
  answersWithoutBody?: Partial<Record<202, string>>;
  /** The formats of the body. The default is JSON of at most 1 MiB. */
  bodies?: readonly BodyFormat[];
  /** The format of a body that is too large for memory. It replaces `bodies`. */
  streamedBody?: StreamedBody | null;
  /** The headers, with their values, that all answers of the route have, also its refusals. */
  headers?: Readonly<Record<string, string>>;
  /** The errors of this route, beyond those of every route of its kind. */
  errors?: readonly DefinedError[];
  /** The member whose rows the handler validates itself, so that its answer can name every bad row. */
  rowsValidatedByHandler?: string | null;
  /** The format of refusals, if the clients of this route expect another one than Slipway's. */
  errorShape?: ErrorShape;
  /**
   * The group of routes with which its requests are counted for the rate limit: by caller or, on public routes, by
   * address. Null is the default of public routes, which are not counted.
   */
  rateGroup?: RateGroup | null;
  /**
   * Whether a repeat with the same `Idempotency-Key` gets the first answer. The default is yes for every POST that is
   * not public. `itself` means that the handler calls `Idempotency.begin`, because its answer comes long after the
   * effect.
   */
  takesIdempotencyKey?: boolean | 'itself';
  /** Whether a POST with this method in `X-HTTP-Method-Override` is for the route, as some protocols demand. */
  takesMethodOverride?: boolean;
  /** Whether the key may be sent as `Authorization: Bearer`, as clients of other services do. */
  acceptsBearer?: boolean;
  /** Whether the request continues if its own key is revoked. Only the route that revokes keys needs this. */
  survivesRevocation?: boolean;
  /** Whether the route itself asks the identities of administrators, as routes of the administration always do. */
  identifiesAdministrators?: boolean;
}

export interface RouteDescription extends Required<RouteOptions<unknown>> {
  verb: Verb;
  /** The path as in the specification, with `{name}` for a parameter. */
  path: string;
}
