import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { columnsOf } from '../../platform/database/columns.js';
import { planned } from '../../platform/database/sql.js';
import { row, type Statement, write } from '../../platform/database/statement.js';
import { type UploadCount, UploadSession, type UploadSessionRow } from './upload-session.entity.js';

const EXPIRED_AT_ONCE = 20;

export class UploadSessionRepository extends EntityRepository<UploadSession> {
  inProject(projectId: Id<'project'>, sessionId: Id<'uploadSession'>): Promise<UploadSession | null> {
    return this.findOne({ id: sessionId, project: projectId }, { refresh: true });
  }

  /** Who changes what it counts takes turns, and counts on from what the one before has left. */
  lockInProject(projectId: Id<'project'>, sessionId: Id<'uploadSession'>): Promise<UploadSession | null> {
    return this.findOne({ id: sessionId, project: projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  }

  /** The same without the ORM, for chunks, which come often. */
  lockRow(projectId: Id<'project'>, sessionId: Id<'uploadSession'>): Statement<UploadSessionRow | null> {
    return row(
      planned`select ${columnsOf(UploadSession)} from upload_session
              where id = ${sessionId} and project_id = ${projectId} for update`,
    );
  }

  /** For whoever has locked it. */
  updateCount(sessionId: Id<'uploadSession'>, count: UploadCount): Statement<void> {
    const { revision, receivedChunks, receivedBytes, hasFirst, hasLast, reservedBytes } = count;
    return write(
      planned`update upload_session set revision = ${revision}, received_chunks = ${receivedChunks},
                received_bytes = ${receivedBytes}, has_first = ${hasFirst}, has_last = ${hasLast},
                reserved_bytes = ${reservedBytes}
              where id = ${sessionId}`,
    );
  }

  /** Some that were not completed in time and still hold room. Those that somebody works with are left for later. */
  lockExpired(): Promise<UploadSession[]> {
    return this.find(
      { fileId: null, reservedBytes: { $gt: 0 }, expiresAt: { $lte: clock.now() } },
      { orderBy: { expiresAt: 'asc' }, limit: EXPIRED_AT_ONCE, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
    );
  }
}
