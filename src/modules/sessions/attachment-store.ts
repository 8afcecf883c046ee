import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { planned, sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';

/** A file that belongs to a session: what is known of it, not the file. */
export interface Attachment {
  fileId: Id<'file'>;
  fileName: string;
  fileType: string;
  size: number;
  tokens: number;
}

@Injectable()
export class AttachmentStore {
  constructor(private readonly statements: Statements) {}

  /** In the order in which they were attached. */
  of(sessionId: Id<'session'>): Promise<Attachment[]> {
    return this.statements.run<Attachment>(
      planned`select file_id as "fileId", file_name as "fileName", file_type as "fileType", size::float8, tokens
              from session_attachment where session_id = ${sessionId} order by number`,
    );
  }

  async add(em: EntityManager, sessionId: Id<'session'>, attachment: Attachment): Promise<void> {
    const { fileId, fileName, fileType, size, tokens } = attachment;
    await this.statements.writeIn(
      em,
      sql`
      insert into session_attachment (session_id, file_id, number, file_name, file_type, size, tokens)
      select ${sessionId}, ${fileId}, count(*), ${fileName}, ${fileType}, ${size}, ${tokens}
      from session_attachment where session_id = ${sessionId}`,
    );
  }
}
