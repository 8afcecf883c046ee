import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, type Rel } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { type AdminRole, type HeldRoles, roleInInstallation } from '../../kernel/roles.js';
import { Audited } from '../../platform/audit/audited.js';
import { ID, type RowOf } from '../../platform/database/columns.js';
import { Project } from '../tenancy/project.entity.js';
import { AdminKeyRepository } from './admin-key.repository.js';

export type AdminKeyRow = RowOf<AdminKey>;

/** An administration key with a name, so that audit entries show which administrator made a change. */
@Audited({ kind: 'adminKey', project: 'none', secrets: ['digest'] })
@Entity({ tableName: 'admin_key', repository: () => AdminKeyRepository })
@Unique({ properties: ['digest'] })
@Index({ name: 'admin_key_project', properties: ['project'] })
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

  /** The project in which the key has its role. Null for the whole installation. It does not change either. */
  @ManyToOne(() => Project, { nullable: true, deleteRule: 'no action' })
  readonly project: Rel<Project> | null;

  @Property({ type: 'timestamptz', nullable: true })
  revokedAt: Date | null = null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(name: string, role: AdminRole, project: Project | null, digest: string) {
    this.name = name;
    this.role = role;
    this.project = project;
    this.digest = digest;
  }

  revoke(): void {
    this.revokedAt ??= clock.now();
  }
}

/** Returns the roles of a key from its columns. */
export function rolesOfKey(role: AdminRole, projectId: string | null): HeldRoles {
  return projectId === null ? roleInInstallation(role) : { role: null, projectRoles: new Map([[projectId, role]]) };
}
