import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { planned, sql } from '../../../platform/database/sql.js';
import { exists, row, type Statement, write } from '../../../platform/database/statement.js';
import type { ConsoleSession, RoleColumns } from './console-session.entity.js';

/** The columns of a session that authenticate a request. */
export interface CheckedSession extends RoleColumns {
  id: Id<'consoleSession'>;
  adminKeyId: Id<'adminKey'> | null;
  name: string | null;
  identity: string | null;
  basisDigest: string | null;
}

export class ConsoleSessionRepository extends EntityRepository<ConsoleSession> {
  /** Returns null if the session has ended or its key is revoked. */
  byDigest(digest: string, now: Date): Statement<CheckedSession | null> {
    return row<CheckedSession>(
      planned`select s.id, s.admin_key_id as "adminKeyId", coalesce(s.person_name, k.name) as name,
                s.identity, s.subject, s.person_role as "personRole", s.person_project_roles as "personProjectRoles",
                k.role as "keyRole", k.project_id as "keyProjectId", s.settings_key_digest as "basisDigest"
              from console_session s left join admin_key k on k.id = s.admin_key_id and k.revoked_at is null
              where s.digest = ${digest} and s.revoked_at is null and s.expires_at > ${now}
                and (s.admin_key_id is null or k.id is not null)`,
    );
  }

  /** A session whose revocation was begun and not ended is found too, because revoking it again ends it. */
  byId(id: Id<'consoleSession'>): Promise<ConsoleSession | null> {
    return this.findOne({ id });
  }

  ofAdminKey(adminKey: Id<'adminKey'>): Promise<ConsoleSession[]> {
    return this.find({ adminKey });
  }

  /** Locks the session, so that it is not deleted before the commit. Returns whether it has not ended. */
  lockForUse(id: Id<'consoleSession'>, now: Date): Statement<boolean> {
    return exists(
      planned`select 1 from console_session
              where id = ${id} and revoked_at is null and expires_at > ${now} for key share`,
    ).taking('key');
  }

  /** Waits for transactions that use the session. */
  deleteRevoked(id: string): Statement<void> {
    return write(sql`delete from console_session where id = ${id} and revoked_at is not null`).taking('key');
  }
}
