import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { PERMISSION_NAMES, type Permission, type PermissionMap, withImplied } from '../../kernel/permissions.js';
import { App } from '../tenancy/app.entity.js';
import { accessErrors } from './access.errors.js';
import { ScopeRepository } from './scope.repository.js';

interface NewScope {
  name: string;
  description: string;
  permissions: Partial<PermissionMap>;
  ceiling: readonly Permission[] | null;
}

/** What a group of keys may do, and how far that may be raised. */
@Entity({ tableName: 'scope', repository: () => ScopeRepository })
export class Scope {
  [EntityRepositoryType]?: ScopeRepository;

  @PrimaryKey({ type: 'text' })
  readonly id: Id<'scope'> = newId('scope');

  @ManyToOne(() => App, { deleteRule: 'no action' })
  readonly app: App;

  @Property({ type: 'text' })
  name: string;

  @Property({ type: 'text' })
  description: string;

  /** The permissions set to YES. */
  @Property({ type: 'array' })
  granted: Permission[] = [];

  /** Null is without bound. */
  @Property({ type: 'array', nullable: true })
  ceiling: Permission[] | null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(app: App, { name, description, permissions, ceiling }: NewScope) {
    this.app = app;
    this.name = name;
    this.description = description;
    this.ceiling = ceiling && [...ceiling];
    this.change(permissions);
  }

  rename(name: string, description: string): void {
    this.name = name;
    this.description = description;
  }

  /** Sets the names given and leaves the others as they are; the same for the ceiling. */
  change(permissions: Partial<PermissionMap>, ceiling: readonly Permission[] | null = this.ceiling): void {
    const granted = PERMISSION_NAMES.filter((name) => (permissions[name] ?? this.answer(name)) === 'YES');
    const above = aboveCeiling(ceiling, granted);
    if (above.length > 0) throw accessErrors.permissionCeiling({}, { details: { above } });
    this.granted = granted;
    this.ceiling = ceiling && [...ceiling];
  }

  private answer(name: Permission): 'YES' | 'NO' {
    return this.granted.includes(name) ? 'YES' : 'NO';
  }
}

/** Permissions of `granted`, implied ones too, that `ceiling` does not cover. */
export function aboveCeiling(ceiling: readonly Permission[] | null, granted: readonly Permission[]): Permission[] {
  if (ceiling === null) return [];
  const covered = withImplied(ceiling);
  return [...withImplied(granted)].filter((name) => !covered.has(name));
}
