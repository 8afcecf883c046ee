import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Audited } from '../../platform/audit/audited.js';
import { AdminKeyRepository } from './admin-key.repository.js';

/** A key of the administration with a name of its own, so that the records say who did it. */
@Audited({ kind: 'adminKey', project: 'none', secrets: ['digest'] })
@Entity({ tableName: 'admin_key', repository: () => AdminKeyRepository })
export class AdminKey {
  [EntityRepositoryType]?: AdminKeyRepository;

  @PrimaryKey({ type: 'text' })
  readonly id: Id<'adminKey'> = newId('adminKey');

  @Property({ type: 'text' })
  name: string;

  @Property({ type: 'text' })
  readonly digest: string;

  @Property({ type: 'timestamptz', nullable: true })
  revokedAt: Date | null = null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(name: string, digest: string) {
    this.name = name;
    this.digest = digest;
  }

  revoke(): void {
    this.revokedAt ??= clock.now();
  }
}
