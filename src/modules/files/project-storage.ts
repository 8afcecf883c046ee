import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { Settings } from '../../platform/config/settings.js';
import { planned } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import { filesErrors } from './files.errors.js';

const GIB = 1024 ** 3;

/** How much a project has stored, and may store. */
@Injectable()
export class ProjectStorage {
  readonly limit: number;

  constructor(
    { PROJECT_STORAGE_GIB: gib }: Settings,
    private readonly statements: Statements,
  ) {
    this.limit = gib === 0 ? Number.MAX_SAFE_INTEGER : Math.floor(gib * GIB);
  }

  /** Refuses where there is no room. Those who take at the same time take turns until they commit. */
  async take(em: EntityManager, projectId: Id<'project'>, bytes: number): Promise<void> {
    const rows = await this.statements.runIn(
      em,
      planned`insert into project_storage as stored (project_id, bytes)
              select ${projectId}, ${bytes}::bigint where ${bytes}::bigint <= ${this.limit}::bigint
              on conflict (project_id) do update set bytes = stored.bytes + excluded.bytes
              where stored.bytes + excluded.bytes <= ${this.limit}::bigint returning bytes`,
    );
    if (rows.length === 0) throw filesErrors.quotaReached({ limit: this.limit });
  }

  async giveBack(em: EntityManager, projectId: Id<'project'>, bytes: number): Promise<void> {
    await this.statements.writeIn(
      em,
      planned`update project_storage set bytes = bytes - ${bytes}::bigint where project_id = ${projectId}`,
    );
  }

  /** What is held becomes more or less. */
  async hold(em: EntityManager, projectId: Id<'project'>, before: number, after: number): Promise<void> {
    if (after > before) await this.take(em, projectId, after - before);
    if (after < before) await this.giveBack(em, projectId, before - after);
  }

  async useOf(projectId: Id<'project'>) {
    const [use] = await this.statements.run<{ files: number; fileBytes: number; heldBytes: number }>(
      `select count(*)::int as files, coalesce(sum(size), 0)::float8 as "fileBytes",
         coalesce((select bytes from project_storage where project_id = $1), 0)::float8 as "heldBytes"
       from file where project_id = $1`,
      [projectId],
    );
    return { ...use!, limitBytes: this.limit === Number.MAX_SAFE_INTEGER ? null : this.limit };
  }
}
