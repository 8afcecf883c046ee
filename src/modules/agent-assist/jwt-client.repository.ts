import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { pageById } from '../../platform/database/page-by-id.js';
import type { JwtClient } from './jwt-client.entity.js';

export class JwtClientRepository extends EntityRepository<JwtClient> {
  byId(clientId: Id<'jwtClient'>): Promise<JwtClient | null> {
    return this.findOne({ id: clientId });
  }

  lock(clientId: Id<'jwtClient'>): Promise<JwtClient | null> {
    return this.findOne({ id: clientId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  page(projectId: Id<'project'>, request: PageRequest): Promise<Page<JwtClient>> {
    return pageById<JwtClient>(this, { project: projectId }, request);
  }
}
