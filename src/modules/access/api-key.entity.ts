import {
  Entity,
  Index,
  ManyToOne,
  OneToMany,
  OneToOne,
  PrimaryKey,
  Property,
  Unique,
} from '@mikro-orm/decorators/legacy';
import { Collection, EntityRepositoryType, type Rel } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { DAY_MS } from '../../kernel/spans.js';
import { Audited, NotAudited } from '../../platform/audit/audited.js';
import { ID, type RowOf } from '../../platform/database/columns.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { Scope } from './scope.entity.js';

const VALUES_KEPT = 20;
/** For this time after its end, a rotated value is refused as expired, and afterwards as unknown. */
export const ENDED_VALUES_KEPT_MS = 30 * DAY_MS;

/** Members that are left out stay as they are. */
export interface ApiKeyChange {
  name?: string | undefined;
  /** Null means that the key never expires. */
  expiresAt?: Date | null | undefined;
}

export type ApiKeyRow = RowOf<ApiKey, 'use'>;

/** A key of a scope. Requests are authenticated by one of its values, of which only digests are kept. */
@Audited({ kind: 'apiKey', project: 'scope.app.project' })
@Entity({ tableName: 'api_key', repository: () => ApiKeyRepository })
@Unique({
  name: 'api_key_name',
  expression: 'create unique index api_key_name on api_key (scope_id, lower(name)) where revoked_at is null',
})
@Index({ name: 'api_key_scope', properties: ['scope'] })
export class ApiKey {
  [EntityRepositoryType]?: ApiKeyRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'apiKey'> = newId('apiKey');

  @ManyToOne(() => Scope, { deleteRule: 'no action' })
  readonly scope: Scope;

  @Property({ type: 'text' })
  name: string;

  /** The ends of the current value with stars between them, so that people can tell keys apart. */
  @Property({ type: 'text' })
  hint = '';

  @Property({ type: 'timestamptz', nullable: true })
  expiresAt: Date | null;

  /** Set from the beginning of a revocation until the row is deleted. The key is refused from then on. */
  @Property({ type: 'timestamptz', nullable: true })
  revokedAt: Date | null = null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  @OneToMany(() => ApiKeyValue, (value) => value.key, { orphanRemoval: true })
  readonly values = new Collection<ApiKeyValue>(this);

  @OneToOne(() => ApiKeyUse, (use) => use.key, { nullable: true })
  readonly use?: Rel<ApiKeyUse> | null;

  constructor(scope: Scope, name: string, expiresAt: Date | null) {
    this.scope = scope;
    this.name = name;
    this.expiresAt = expiresAt;
  }

  addValue(value: string, digest: string): void {
    this.values.add(new ApiKeyValue(this, digest));
    this.hint = `${value.slice(0, 3)}********${value.slice(-4)}`;
  }

  /** Ends all values at the given time, except those that an earlier rotation ends sooner. Removes the oldest ones. */
  retireValues(at: Date): void {
    const keptSince = clock.now().getTime() - ENDED_VALUES_KEPT_MS;
    for (const value of this.values) if (value.validUntil === null || value.validUntil > at) value.validUntil = at;
    const newestFirst = this.values.getItems().sort((a, b) => Number(b.validUntil) - Number(a.validUntil));
    const outdated = newestFirst.filter((value, rank) => rank >= VALUES_KEPT || Number(value.validUntil) < keptSince);
    for (const value of outdated) this.values.remove(value);
  }

  change({ name, expiresAt }: ApiKeyChange): void {
    if (name !== undefined) this.name = name;
    if (expiresAt !== undefined) this.expiresAt = expiresAt;
  }

  revoke(): void {
    this.revokedAt ??= clock.now();
  }
}

/** One value of a key: the current one, or one that a rotation replaced. */
@Audited({ kind: 'apiKeyValue', project: 'key.scope.app.project', target: 'key', secrets: ['digest'] })
@Entity({ tableName: 'api_key_value' })
@Index({ name: 'api_key_value_key', properties: ['key'] })
export class ApiKeyValue {
  @PrimaryKey({ type: 'text', collation: 'C' })
  readonly digest: string;

  @ManyToOne(() => ApiKey, { deleteRule: 'cascade' })
  readonly key: Rel<ApiKey>;

  @Property({ type: 'timestamptz', nullable: true })
  validUntil: Date | null = null;

  constructor(key: ApiKey, digest: string) {
    this.key = key;
    this.digest = digest;
  }
}

/** When a key was last used, to the minute. */
@NotAudited('The use of a key changes no configuration')
@Entity({ tableName: 'api_key_use' })
export class ApiKeyUse {
  @OneToOne(() => ApiKey, { primary: true, owner: true, deleteRule: 'cascade', updateRule: 'no action' })
  readonly key!: Rel<ApiKey>;

  @Property({ type: 'timestamptz' })
  readonly lastUsedAt!: Date;
}
