import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { ToolVersion } from './tool-version.entity.js';

export class ToolVersionRepository extends EntityRepository<ToolVersion> {
  ofTool(toolId: Id<'tool'>, versionId: Id<'toolVersion'>): Promise<ToolVersion | null> {
    return this.findOne({ id: versionId, tool: toolId });
  }

  byId(versionId: Id<'toolVersion'>): Promise<ToolVersion | null> {
    return this.findOne({ id: versionId });
  }

  byIds(versionIds: readonly Id<'toolVersion'>[]): Promise<ToolVersion[]> {
    return this.find({ id: { $in: [...versionIds] } });
  }

  /** Newest first. */
  allOf(toolId: Id<'tool'>): Promise<ToolVersion[]> {
    return this.find({ tool: toolId }, { orderBy: { number: 'desc' } });
  }

  newestOf(toolId: Id<'tool'>): Promise<ToolVersion | null> {
    return this.findOne({ tool: toolId }, { orderBy: { number: 'desc' } });
  }
}
