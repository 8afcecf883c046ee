import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { columnsOf } from '../../platform/database/columns.js';
import { pageById } from '../../platform/database/page-by-id.js';
import { planned } from '../../platform/database/sql.js';
import { exists, row, type Statement } from '../../platform/database/statement.js';
import { JwtClient, type JwtClientRow } from './jwt-client.entity.js';

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

  /** For the check of a token, whose claims give the id. */
  rowOf(clientId: string): Statement<JwtClientRow | null> {
    return row<JwtClientRow>(planned`select ${columnsOf(JwtClient)} from jwt_client where id = ${clientId}`);
  }

  /** Keeps the client from being deleted before the commit. Answers whether it is there. */
  lockForUse(clientId: Id<'jwtClient'>): Statement<boolean> {
    return exists(planned`select 1 from jwt_client where id = ${clientId} for key share`).taking('key');
  }

  /** Remembers a token by the digest of its id until it is of no use any more. False when it was remembered already. */
  useToken(clientId: string, digest: string, usableUntil: Date): Statement<boolean> {
    return exists(
      planned`insert into used_token (client_id, digest, usable_until) values (${clientId}, ${digest}, ${usableUntil})
              on conflict do nothing returning client_id`,
    );
  }
}
