import { Entity, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import {
  PERMISSION_NAMES,
  PERMISSIONS,
  type Permission,
  type PermissionMap,
  withImplied,
} from '../../kernel/permissions.js';
import { Audited } from '../../platform/audit/audited.js';
import { ID } from '../../platform/database/columns.js';
import { App } from '../tenancy/app.entity.js';
import { accessErrors } from './access.errors.js';
import { ScopeRepository } from './scope.repository.js';

export interface NewScope {
  name: string;
  description: string;
  permissions: Partial<PermissionMap>;
  /** Null means that every permission may be granted. */
  ceiling: Permission[] | null;
}

/** Members and permissions that are left out stay as they are. */
export type ScopeChange = Partial<NewScope>;

/** The permissions of a group of keys, and the ceiling up to which its own keys may raise them. */
@Audited({ kind: 'scope', project: 'app.project' })
@Entity({ tableName: 'scope', repository: () => ScopeRepository })
@Unique({ name: 'scope_name', expression: 'create unique index scope_name on scope (app_id, lower(name))' })
export class Scope {
  [EntityRepositoryType]?: ScopeRepository;

  @PrimaryKey({ ...ID })
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

  /** Null means that every permission may be granted. */
  @Property({ type: 'array', nullable: true })
  ceiling: Permission[] | null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(app: App, { name, description, permissions, ceiling }: NewScope) {
    this.app = app;
    this.name = name;
    this.description = description;
    this.ceiling = ceiling;
    this.change({ permissions });
  }

  change({
    name = this.name,
    description = this.description,
    permissions = {},
    ceiling = this.ceiling,
  }: ScopeChange): void {
    const known = PERMISSION_NAMES.filter(
      (permission) => (permissions[permission] ?? this.settingOf(permission)) === 'YES',
    );
    const above = permissionsAbove(ceiling, known);
    if (above.length > 0) throw accessErrors.permissionCeiling({ details: { above } });
    this.name = name;
    this.description = description;
    this.granted = [...known, ...this.granted.filter(isUnknown)];
    const bounded = [...(ceiling ?? []), ...(this.ceiling ?? []).filter(isUnknown)];
    this.ceiling = ceiling && [...new Set(bounded)];
  }

  private settingOf(name: Permission): 'YES' | 'NO' {
    return this.granted.includes(name) ? 'YES' : 'NO';
  }
}

/**
 * A permission of a plugin that this process does not have, or of a newer release. No request can name it, so a change
 * keeps it for the processes that know it.
 */
function isUnknown(name: Permission): boolean {
  return !(name in PERMISSIONS);
}

/** Whether a scope with this ceiling could get permissions that one with the other ceiling could not. */
export function isCeilingHigher(ceiling: readonly Permission[] | null, other: readonly Permission[] | null): boolean {
  return permissionsAbove(other, ceiling ?? PERMISSION_NAMES).length > 0;
}

/** Returns those of the permissions, with the implied ones, that the ceiling does not cover. */
export function permissionsAbove(
  ceiling: readonly Permission[] | null,
  permissions: readonly Permission[],
): Permission[] {
  const covered = withImplied(ceiling ?? PERMISSION_NAMES);
  return [...withImplied(permissions)].filter((permission) => !covered.has(permission));
}
