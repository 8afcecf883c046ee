import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, type Rel } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import { type Id, newId } from '../../../kernel/ids.js';
import { Audited } from '../../../platform/audit/audited.js';
import { CONSOLE_SESSION_SECONDS } from '../../../platform/auth/console-caller.js';
import { ID } from '../../../platform/database/columns.js';
import { AdminKey } from '../admin-key.entity.js';
import { ConsoleSessionRepository } from './console-session.repository.js';

export interface NewConsoleSession {
  adminKey: AdminKey | null;
  /** The digest of the key in SLIPWAY_ADMIN_KEY, if that key signed in. Another value of the setting ends the session. */
  settingsKeyDigest: string | null;
  digest: string;
  userAgent: string;
}

/** A sign-in to the console: a browser that may do what an administration key may, until it ends. */
@Audited({ kind: 'consoleSession', project: 'none', secrets: ['digest', 'settingsKeyDigest'] })
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

  @Property({ type: 'text', collation: 'C', nullable: true })
  readonly settingsKeyDigest: string | null;

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

  constructor({ adminKey, settingsKeyDigest, digest, userAgent }: NewConsoleSession) {
    this.adminKey = adminKey;
    this.settingsKeyDigest = settingsKeyDigest;
    this.digest = digest;
    this.userAgent = userAgent;
  }

  revoke(): void {
    this.revokedAt ??= clock.now();
  }
}
