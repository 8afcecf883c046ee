import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { columnsOf, selectedRow, someColumnsOf } from '../../../platform/database/columns.js';
import { planned, raw, sql } from '../../../platform/database/sql.js';
import { rows, type Statement, write } from '../../../platform/database/statement.js';
import { type AttachedFile, Attachment, type AttachmentRow } from '../session.entity.js';

export class AttachmentRepository extends EntityRepository<Attachment> {
  /** Returns the attachments in their order. */
  ofSession(sessionId: Id<'session'>): Statement<AttachmentRow[]> {
    return rows(
      planned`select ${columnsOf(Attachment)} from session_attachment where session_id = ${sessionId} order by number`,
    );
  }

  /** Expects that the session is locked. Otherwise, two attachments could get the same number. */
  add(sessionId: Id<'session'>, file: AttachedFile): Statement<void> {
    const row = selectedRow(Attachment, { ...file, sessionId, number: raw('count(*)') });
    return write(sql`insert into session_attachment ${row} from session_attachment where session_id = ${sessionId}`);
  }

  /** Returns the files that were attached. */
  deleteOfSession(sessionId: Id<'session'>): Statement<Id<'file'>[]> {
    return rows<Pick<AttachmentRow, 'fileId'>>(
      sql`delete from session_attachment where session_id = ${sessionId} returning ${someColumnsOf(Attachment, ['fileId'])}`,
    ).as((deleted) => deleted.map(({ fileId }) => fileId));
  }
}
