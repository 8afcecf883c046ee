import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type Id, type IdKind, refuseUnknownKind } from '../../kernel/ids.js';
import { StartError } from '../../kernel/start-error.js';
import { Database } from './database.js';
import { classOf, type EntityMark } from './entity-mark.js';
import { raw, sql } from './sql.js';
import { row } from './statement.js';

const IN_PROJECT = 'slipway:in-project';

/**
 * Marks an entity whose rows belong to a project, which the column `project_id` names. If a route of the administration
 * begins with the id of such a row, roles in that project count.
 */
export function InProject(kind: IdKind): EntityMark {
  refuseUnknownKind(kind);
  return (entity) => Reflect.defineMetadata(IN_PROJECT, kind, classOf(entity));
}

/** Finds the projects to which rows belong. */
@Injectable()
export class ProjectsOfRows {
  private readonly entities = new Map<IdKind, { readonly name: string; readonly table: string }>();

  constructor(
    orm: MikroORM,
    private readonly database: Database,
  ) {
    for (const { class: entity, tableName } of orm.getMetadata().getAll().values()) {
      const kind = Reflect.getMetadata(IN_PROJECT, entity) as IdKind | undefined;
      if (!kind) continue;
      const other = this.entities.get(kind);
      if (other)
        throw new StartError(
          `${other.name} and ${entity.name} are both marked with @InProject('${kind}'). Give each a kind of its own.`,
        );
      this.entities.set(kind, { name: entity.name, table: tableName });
    }
  }

  /** Whether ids of this kind lead to a project. */
  knows(kind: IdKind): boolean {
    return kind === 'project' || this.entities.has(kind);
  }

  /** Returns the id of a row's project, or null if there is no such row. */
  async projectOf<Kind extends IdKind>(kind: Kind, id: Id<Kind>): Promise<string | null> {
    if (kind === 'project') return id;
    const table = raw(this.entities.get(kind)!.table);
    const found = await this.database.ask(
      row<{ projectId: string }>(sql`select project_id as "projectId" from ${table} where id = ${id}`),
    );
    return found?.projectId ?? null;
  }
}
