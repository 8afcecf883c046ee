import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import type { OffsetQuery } from '../../kernel/schema.js';
import { columnsOf } from '../../platform/database/columns.js';
import { planned, type Sql, sql } from '../../platform/database/sql.js';
import { row, type Statement } from '../../platform/database/statement.js';
import { UploadSession, type UploadSessionRow } from './upload-session.entity.js';

const EXPIRED_AT_ONCE = 20;

export class UploadSessionRepository extends EntityRepository<UploadSession> {
  inProject(projectId: Id<'project'>, sessionId: Id<'uploadSession'>): Promise<UploadSession | null> {
    return this.findOne({ id: sessionId, project: projectId }, { refresh: true });
  }

  /** Finds some of the uploads that are neither complete nor expired, newest first, and counts all of them. */
  open(projectId: Id<'project'>, part: OffsetQuery): Promise<[UploadSession[], number]> {
    const isOpen = { project: projectId, fileId: null, expiresAt: { $gt: clock.now() } };
    return this.findAndCount(isOpen, { orderBy: { id: 'desc' }, ...part });
  }

  /** Locks an upload, so that concurrent changes of its counts happen one after another. */
  lockInProject(projectId: Id<'project'>, sessionId: Id<'uploadSession'>): Promise<UploadSession | null> {
    return this.findOne({ id: sessionId, project: projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  }

  /** Reads the row without the ORM, because chunks arrive often. */
  rowInProject(projectId: Id<'project'>, sessionId: Id<'uploadSession'>): Statement<UploadSessionRow | null> {
    return row(
      planned`select ${columnsOf(UploadSession)} from upload_session
              where id = ${sessionId} and project_id = ${projectId}`,
    );
  }

  lockRow(projectId: Id<'project'>, sessionId: Id<'uploadSession'>): Statement<UploadSessionRow | null> {
    return row(
      planned`select ${columnsOf(UploadSession)} from upload_session
              where id = ${sessionId} and project_id = ${projectId} for update`,
    );
  }

  /** Returns the condition that the upload accepts chunks with numbers. */
  isOpen(projectId: Id<'project'>, sessionId: Id<'uploadSession'>): Sql {
    return sql`exists (
      select from upload_session
      where id = ${sessionId} and project_id = ${projectId} and file_id is null and tus_metadata is null
        and expires_at > ${clock.now()})`;
  }

  /** Reads an upload over tus without the ORM, because its client asks after each break. */
  tusRow(projectId: Id<'project'>, sessionId: Id<'uploadSession'>): Statement<UploadSessionRow | null> {
    return row(
      planned`select ${columnsOf(UploadSession)} from upload_session
              where id = ${sessionId} and project_id = ${projectId} and tus_metadata is not null`,
    );
  }

  /** Locks some expired uploads that still reserve bytes. Rows that another transaction has locked are skipped. */
  lockExpired(): Promise<UploadSession[]> {
    return this.find(
      { fileId: null, reservedBytes: { $gt: 0 }, expiresAt: { $lte: clock.now() } },
      { orderBy: { expiresAt: 'asc' }, limit: EXPIRED_AT_ONCE, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
    );
  }
}
