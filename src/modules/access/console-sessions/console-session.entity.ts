import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, type Rel } from '@mikro-orm/postgresql';
import type { AdminActor, PersonId } from '../../../kernel/actor.js';
import { clock } from '../../../kernel/clock.js';
import { type Id, newId } from '../../../kernel/ids.js';
import type { AdminRole, HeldRoles } from '../../../kernel/roles.js';
import { Audited } from '../../../platform/audit/audited.js';
import { ADMIN_KEYS } from '../../../platform/auth/admin-key.identity.js';
import { CONSOLE_SESSION_SECONDS } from '../../../platform/auth/console-caller.js';
import { ID } from '../../../platform/database/columns.js';
import { AdminKey, rolesOfKey } from '../admin-key.entity.js';
import { ConsoleSessionRepository } from './console-session.repository.js';
import { OIDC } from './oidc/oidc-name.js';

type PersonRoleColumn = 'subject' | 'personRole' | 'personProjectRoles';

/** The columns of a session and of its key that say which roles it has. */
export interface RoleColumns extends Pick<ConsoleSession, PersonRoleColumn> {
  keyRole: AdminRole | null;
  keyProjectId: string | null;
}

export interface NewConsoleSession {
  /** The key that signs in, or the person as an identity describes them then. */
  actor: AdminActor;
  adminKey: AdminKey | null;
  /**
   * The digest of the settings that let the session begin, which ends with another value of them: the key in
   * SLIPWAY_ADMIN_KEY, or for a person the settings of the identity. Null if a named key signed in.
   */
  basisDigest: string | null;
  digest: string;
  userAgent: string;
}

/** A sign-in to the console: a browser that may do what an administration key or a person may, until it ends. */
@Audited({ kind: 'consoleSession', project: 'none', secrets: ['digest', 'basisDigest'] })
@Entity({ tableName: 'console_session', repository: () => ConsoleSessionRepository })
@Unique({ properties: ['digest'] })
@Index({ name: 'console_session_admin_key', properties: ['adminKey'] })
@Index({ name: 'console_session_expires_at', properties: ['expiresAt'] })
export class ConsoleSession {
  [EntityRepositoryType]?: ConsoleSessionRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'consoleSession'> = newId('consoleSession');

  @ManyToOne(() => AdminKey, { nullable: true, deleteRule: 'cascade' })
  readonly adminKey: Rel<AdminKey> | null;

  /** The column is named after the first settings on which a session depended: the key in SLIPWAY_ADMIN_KEY. */
  @Property({ type: 'text', fieldName: 'settings_key_digest', collation: 'C', nullable: true })
  readonly basisDigest: string | null;

  /** The five columns of a person are null in the sessions of keys. An earlier release does not know this column. */
  @Property({ type: 'text', nullable: true })
  readonly identity: string | null;

  @Property({ type: 'text', nullable: true })
  readonly subject: string | null;

  @Property({ type: 'text', nullable: true })
  readonly personName: string | null;

  @Property({ type: 'text', nullable: true })
  readonly personRole: AdminRole | null;

  /** The roles in single projects, by the ids of the projects. */
  @Property({ type: 'json', nullable: true })
  readonly personProjectRoles: Record<string, AdminRole> | null;

  /** The digest of the secret in the browser's cookie. */
  @Property({ type: 'text', collation: 'C' })
  readonly digest: string;

  @Property({ type: 'text' })
  readonly userAgent: string;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  @Property({ type: 'timestamptz' })
  readonly expiresAt: Date = new Date(this.createdAt.getTime() + CONSOLE_SESSION_SECONDS * 1000);

  /** Set for the moment between the decision and the deletion of the row. The session is of no use from then on. */
  @Property({ type: 'timestamptz', nullable: true })
  revokedAt: Date | null = null;

  constructor({ actor, adminKey, basisDigest, digest, userAgent }: NewConsoleSession) {
    const { person, name, role, projectRoles } = actor;
    this.adminKey = adminKey;
    this.identity = person?.identity ?? null;
    this.subject = person?.subject ?? null;
    this.personName = person ? name : null;
    this.personRole = person ? role : null;
    this.personProjectRoles = person ? Object.fromEntries(projectRoles) : null;
    this.basisDigest = basisDigest;
    this.digest = digest;
    this.userAgent = userAgent;
  }

  /** The name of the person or of the key that signed in. Null for the key in SLIPWAY_ADMIN_KEY. */
  get name(): string | null {
    return this.personName ?? this.adminKey?.name ?? null;
  }

  /** The name of the identity that knows who signed in. */
  get knownBy(): string {
    return this.subject === null ? ADMIN_KEYS : (this.identity ?? OIDC);
  }

  get roles(): HeldRoles {
    const { subject, personRole, personProjectRoles, adminKey } = this;
    const ofKey = { keyRole: adminKey?.role ?? null, keyProjectId: adminKey?.project?.id ?? null };
    return rolesOf({ subject, personRole, personProjectRoles, ...ofKey });
  }

  /** Whether the actor is the key or the person that signed in. */
  isOf({ keyId, person }: AdminActor): boolean {
    const own = personOf(this);
    const isSamePerson = own?.identity === person?.identity && own?.subject === person?.subject;
    return (this.adminKey?.id ?? null) === keyId && isSamePerson;
  }

  revoke(): void {
    this.revokedAt ??= clock.now();
  }
}

/** Returns the person who signed in, or null for a key. Processes of the release before write no identity. */
export function personOf({ identity, subject }: Pick<ConsoleSession, 'identity' | 'subject'>): PersonId | null {
  return subject === null ? null : { identity: identity ?? OIDC, subject };
}

/** Returns the roles of the person or of the key that signed in. The key in SLIPWAY_ADMIN_KEY is that of an owner. */
export function rolesOf(columns: RoleColumns): HeldRoles {
  const { subject, personRole, personProjectRoles, keyRole, keyProjectId } = columns;
  if (subject === null) return rolesOfKey(keyRole ?? 'owner', keyProjectId);
  return { role: personRole, projectRoles: new Map(Object.entries(personProjectRoles ?? {})) };
}
