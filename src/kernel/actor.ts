import type { Id } from './ids.js';
import type { Permission } from './permissions.js';
import type { HeldRoles } from './roles.js';

/**
 * A project's API key. It sees its app on `/apps/{appId}` routes and its project everywhere else. An administrator who
 * acts in an app through the console is one too: its key id is the id of the console session, and it has every
 * permission. The roles of the administrator may exclude changes.
 */
export interface KeyActor {
  readonly kind: 'key';
  readonly keyId: Id<'apiKey'> | Id<'consoleSession'>;
  readonly keyName: string;
  /** The digest of the value that was sent, because a key may have several values while it is rotated. */
  readonly valueDigest: string;
  readonly scopeId: Id<'scope'>;
  readonly appId: Id<'app'>;
  readonly projectId: Id<'project'>;
  readonly expiresAt: Date | null;
  /** The permissions as the scope lists them. */
  readonly granted: readonly Permission[];
  /** The granted permissions and all that they imply. */
  readonly effective: ReadonlySet<Permission>;
  /** The permissions to which the scope may be raised; null means without bound. */
  readonly ceiling: readonly Permission[] | null;
  /** The administrator who acts in the app. Keys of projects have none. */
  readonly administrator?: HeldRoles & { readonly id: string };
}

/** Identifies a person who administrates. Equal subjects of two identities are two people. */
export interface PersonId {
  /** The name of the identity that knows the person: `oidc`, or that of a plugin. */
  readonly identity: string;
  readonly subject: string;
}

/** A caller with an administration key, or a person whom another identity of administrators knows. */
export interface AdminActor extends HeldRoles {
  readonly kind: 'admin';
  /** Null for the key in SLIPWAY_ADMIN_KEY, which has no row, and for people. The key in the settings has no name either. */
  readonly keyId: Id<'adminKey'> | null;
  readonly name: string | null;
  /** The person who calls. Keys have none. */
  readonly person?: PersonId;
  /** The sign-in to the console that stands for the key or the person. */
  readonly consoleSessionId?: Id<'consoleSession'>;
}

/** A contact centre that reports its conversations, authenticated by tokens that it signs. It sees its project. */
export interface JwtClientActor {
  readonly kind: 'jwtClient';
  /** Always null, because each request brings a token of its own. */
  readonly keyId: null;
  readonly clientId: Id<'jwtClient'>;
  readonly name: string;
  readonly projectId: Id<'project'>;
}

/** The service itself, where no caller caused the work. */
export interface SystemActor {
  readonly kind: 'system';
}

/** The actors that can call over HTTP. */
export type Caller = KeyActor | AdminActor | JwtClientActor;

export type Actor = Caller | SystemActor;

export const SYSTEM: SystemActor = { kind: 'system' };

/** Names the owner of the slots that work for this caller takes: its project, or all administrators together. */
export function shareOwnerOf(actor: Caller | undefined): string {
  return actor && actor.kind !== 'admin' ? actor.projectId : 'administration';
}

/** Identifies an actor. */
export function actorId(actor: Actor): string {
  if (actor.kind === 'system') return 'system';
  if (actor.kind === 'admin' && actor.person) return idOfPerson(actor.person);
  return actor.kind === 'jwtClient' ? actor.clientId : (actor.keyId ?? 'admin');
}

/** Returns the ids of the key and the console session of a caller. If one is revoked, the caller's requests are stopped. */
export function credentialsOf(caller: Caller): string[] {
  const sessionId = caller.kind === 'admin' ? caller.consoleSessionId : undefined;
  return [caller.keyId, sessionId].filter((id) => id !== null && id !== undefined);
}

/** Identifies who repeats a request. An administrator in an app is the same one after the next sign-in. */
export function repeaterId(caller: Caller): string {
  if (caller.kind !== 'key' || !caller.administrator) return actorId(caller);
  return `${caller.administrator.id} ${caller.appId}`;
}

/** Other ids have no colon, so a person is never taken for a key. */
function idOfPerson({ identity, subject }: PersonId): string {
  return `${identity}:${subject}`;
}

/** Returns the name of an actor for people; a key has its own name. */
export function actorName(actor: Actor): string {
  if (actor.kind === 'system') return 'system';
  return actor.kind === 'key' ? actor.keyName : (actor.name ?? 'admin');
}

/** Returns the label of an actor in the log. */
export function actorLabel(actor: Actor): string {
  return actor.kind === 'admin' && actor.name !== null ? `admin:${actor.name}` : actorId(actor);
}
