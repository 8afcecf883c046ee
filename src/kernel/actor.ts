import type { Id } from './ids.js';
import type { Permission } from './permissions.js';

/** A project's API key: sees its app on `/apps/{appId}` routes and its project everywhere else. */
export interface KeyActor {
  readonly kind: 'key';
  readonly keyId: Id<'apiKey'>;
  readonly keyName: string;
  /** Of the value that was sent: a key may have several while it is rotated. */
  readonly valueDigest: string;
  readonly scopeId: Id<'scope'>;
  readonly appId: Id<'app'>;
  readonly projectId: Id<'project'>;
  readonly expiresAt: Date | null;
  /** As written in the scope. */
  readonly granted: readonly Permission[];
  /** With what the granted ones imply. */
  readonly effective: ReadonlySet<Permission>;
  /** How far the scope may be raised; null is without bound. */
  readonly ceiling: readonly Permission[] | null;
}

/** Whoever holds an administration key. */
export interface AdminActor {
  readonly kind: 'admin';
  /** Both null for the key in SLIPWAY_ADMIN_KEY, which no row holds. */
  readonly keyId: Id<'adminKey'> | null;
  readonly name: string | null;
}

/** A contact centre that tells of its conversations, known by tokens that it signs. It sees its project. */
export interface JwtClientActor {
  readonly kind: 'jwtClient';
  /** None: each of its requests brings a token of its own. */
  readonly keyId: null;
  readonly clientId: Id<'jwtClient'>;
  readonly name: string;
  readonly projectId: Id<'project'>;
}

/** The service itself, where nobody asks. */
export interface SystemActor {
  readonly kind: 'system';
}

/** Who can ask over HTTP. */
export type Caller = KeyActor | AdminActor | JwtClientActor;

export type Actor = Caller | SystemActor;

export const SYSTEM: SystemActor = { kind: 'system' };

/** What tells actors apart. */
export function actorId(actor: Actor): string {
  if (actor.kind === 'system') return 'system';
  return actor.kind === 'jwtClient' ? actor.clientId : (actor.keyId ?? 'admin');
}

/** What people call an actor: a key by its name. */
export function actorName(actor: Actor): string {
  if (actor.kind === 'system') return 'system';
  return actor.kind === 'key' ? actor.keyName : (actor.name ?? 'admin');
}

/** What people read in the log. */
export function actorLabel(actor: Actor): string {
  return actor.kind === 'admin' && actor.name !== null ? `admin:${actor.name}` : actorId(actor);
}
