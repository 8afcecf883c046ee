import { Entity, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import type { AdminRole } from '../../kernel/roles.js';
import { Audited } from '../../platform/audit/audited.js';
import { ID, type RowOf } from '../../platform/database/columns.js';
import { AdminKeyRepository } from './admin-key.repository.js';

export type AdminKeyRow = RowOf<AdminKey>;

/** An administration key with a name, so that audit entries show which administrator made a change. */
@Audited({ kind: 'adminKey', project: 'none', secrets: ['digest'] })
@Entity({ tableName: 'admin_key', repository: () => AdminKeyRepository })
@Unique({ properties: ['digest'] })
@Unique({
  name: 'admin_key_name',
  expression: 'create unique index admin_key_name on admin_key (lower(name)) where revoked_at is null',
})
export class AdminKey {
  [EntityRepositoryType]?: AdminKeyRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'adminKey'> = newId('adminKey');

  @Property({ type: 'text' })
  name: string;

  @Property({ type: 'text', collation: 'C' })
  readonly digest: string;

  /** It does not change, so that a request never has to check it twice. */
  @Property({ type: 'text', default: 'owner' })
  readonly role: AdminRole;

  @Property({ type: 'timestamptz', nullable: true })
  revokedAt: Date | null = null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(name: string, role: AdminRole, digest: string) {
    this.name = name;
    this.role = role;
    this.digest = digest;
  }

  revoke(): void {
    this.revokedAt ??= clock.now();
  }
}
