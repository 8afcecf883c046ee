import type { DefinedError } from '../../kernel/errors.js';
import type { Permission } from '../../kernel/permissions.js';
import type { Answer } from './answer.js';
import type { BodyFormat, StreamedBody } from './body-format.js';
import type { ErrorShape } from './error-shape.js';
import type { RateGroup } from './rate-group.js';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A permission; any key of the project; an administration key; a token of a JWT client; or nobody in particular. */
export type Access = Permission | 'anyKey' | 'administration' | 'jwtClient' | 'public';

export interface RouteOptions<T> {
  /** There is no default: a route that does not say who may call it does not compile. */
  access: Access;
  /** What it takes besides, where keys of another scope made what it is about, or an administrator did. */
  ofAnotherScope?: Permission | null;
  summary: string;
  description?: string;
  /** What generated clients call it, where the specification has a name for it; otherwise controller and method. */
  operationId?: string;
  returns: Answer<T>;
  status?: 200 | 201 | 202;
  /** Where an answer may have another status than the declared one: told by the answer, so that a repeat has the same. */
  statusOf?: ((result: NoInfer<T>) => number) | null;
  /** What it answers with these other statuses. The same schema, and what differs. */
  otherAnswers?: Partial<Record<200 | 201 | 202, { description: string; example: object }>>;
  /** How its body may be written; JSON of at most 1 MiB unless said otherwise. */
  bodies?: readonly BodyFormat[];
  /** Instead, where its body is too large to be collected. */
  streamedBody?: StreamedBody | null;
  /** What it refuses beyond what every route of its kind does. */
  errors?: readonly DefinedError[];
  /** The member whose rows its method looks at itself, to name all that are bad: those with texts that nobody keeps too. */
  checksRowsOf?: string | null;
  /** How its refusals look, where its clients look for something else than everywhere. */
  errorShape?: ErrorShape;
  /** With which other routes its requests are counted. */
  rateGroup?: RateGroup;
  /**
   * Whether a repeat under the same `Idempotency-Key` gets the first one's answer: every POST, unless said otherwise.
   * `itself`: by the route's own call of `Idempotency.begin`, where the answer comes long after the effect.
   */
  takesIdempotencyKey?: boolean | 'itself';
  /** Whether `Authorization: Bearer` carries the key too: other people’s clients send it so. */
  takesBearer?: boolean;
  /** The request goes on when its own key is revoked: only revoking does. */
  survivesRevocation?: boolean;
}

export interface RouteDescription extends Required<RouteOptions<unknown>> {
  verb: Verb;
  /** As in the specification, with `{name}` for a parameter. */
  path: string;
}
