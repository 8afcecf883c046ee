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
import { Audited, NotAudited } from '../../platform/audit/audited.js';
import { ID, type RowOf } from '../../platform/database/columns.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { Scope } from './scope.entity.js';

const VALUES_KEPT = 20;
/** For so long whoever still uses a rotated value is told that it has expired, and not only that it is none. */
export const REMEMBER_ENDED_MS = 30 * 24 * 3600 * 1000;

/** Members that are left out stay as they are. */
export interface ApiKeyChange {
  name?: string | undefined;
  /** Null is never. */
  expiresAt?: Date | null | undefined;
}

export type ApiKeyRow = RowOf<ApiKey, 'use'>;

/** A key of a scope. What opens doors are its values, of which only digests are kept. */
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

  /** The value with its middle starred out, so that people can tell keys apart. */
  @Property({ type: 'text' })
  hint = '';

  @Property({ type: 'timestamptz', nullable: true })
  expiresAt: Date | null;

  /** Set for the moment between the decision and the deletion of the row: it opens nothing any more. */
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

  /** The values so far end at the time given, or earlier where a rotation before said so; those long ended go. */
  retireValues(at: Date): void {
    const longEnded = clock.now().getTime() - REMEMBER_ENDED_MS;
    for (const value of this.values) if (value.validUntil === null || value.validUntil > at) value.validUntil = at;
    const newestFirst = this.values.getItems().sort((a, b) => Number(b.validUntil) - Number(a.validUntil));
    const forgotten = newestFirst.filter((value, rank) => rank >= VALUES_KEPT || Number(value.validUntil) < longEnded);
    for (const value of forgotten) this.values.remove(value);
  }

  change({ name, expiresAt }: ApiKeyChange): void {
    if (name !== undefined) this.name = name;
    if (expiresAt !== undefined) this.expiresAt = expiresAt;
  }

  revoke(): void {
    this.revokedAt ??= clock.now();
  }
}

/** One value of a key: the current one, or during a rotation's grace one before it. */
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
@NotAudited('That a key is used changes nothing')
@Entity({ tableName: 'api_key_use' })
export class ApiKeyUse {
  @OneToOne(() => ApiKey, { primary: true, owner: true, deleteRule: 'cascade', updateRule: 'no action' })
  readonly key!: Rel<ApiKey>;

  @Property({ type: 'timestamptz' })
  readonly lastUsedAt!: Date;
}
