import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { columnsOf } from '../../platform/database/columns.js';
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

  /** Reads the client for the verification of a token, whose claims name the id. */
  rowOf(clientId: string): Statement<JwtClientRow | null> {
    return row<JwtClientRow>(planned`select ${columnsOf(JwtClient)} from jwt_client where id = ${clientId}`);
  }

  /** Locks the client, so that it is not deleted before the commit. Answers whether it exists. */
  lockForUse(clientId: Id<'jwtClient'>): Statement<boolean> {
    return exists(planned`select 1 from jwt_client where id = ${clientId} for key share`).taking('key');
  }

  /** Stores the digest of a token's id until the token is no longer valid. Answers false if it was stored before. */
  useToken(clientId: string, digest: string, usableUntil: Date): Statement<boolean> {
    return exists(
      planned`insert into used_token (client_id, digest, usable_until) values (${clientId}, ${digest}, ${usableUntil})
              on conflict do nothing returning client_id`,
    );
  }
}
