import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { columnsOf } from '../../../platform/database/columns.js';
import { sql } from '../../../platform/database/sql.js';
import { row, type Statement } from '../../../platform/database/statement.js';
import { ToolVersion, type ToolVersionRow } from './tool-version.entity.js';

export class ToolVersionRepository extends EntityRepository<ToolVersion> {
  ofTool(toolId: Id<'tool'>, versionId: Id<'toolVersion'>): Promise<ToolVersion | null> {
    return this.findOne({ id: versionId, tool: toolId });
  }

  byId(versionId: Id<'toolVersion'>): Promise<ToolVersion | null> {
    return this.findOne({ id: versionId });
  }

  /** Reads a version without the ORM, in order to run it. */
  rowOf(versionId: Id<'toolVersion'>): Statement<ToolVersionRow | null> {
    return row(sql`select ${columnsOf(ToolVersion)} from tool_version where id = ${versionId}`);
  }

  byIds(versionIds: readonly Id<'toolVersion'>[]): Promise<ToolVersion[]> {
    return this.find({ id: { $in: [...versionIds] } });
  }

  newestOf(toolId: Id<'tool'>): Promise<ToolVersion | null> {
    return this.findOne({ tool: toolId }, { orderBy: { number: 'desc' } });
  }
}
