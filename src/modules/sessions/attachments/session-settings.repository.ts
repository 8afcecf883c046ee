import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { columnsOf } from '../../../platform/database/columns.js';
import { planned } from '../../../platform/database/sql.js';
import { row, type Statement } from '../../../platform/database/statement.js';
import { SessionSettings, type SessionSettingsRow } from './session-settings.entity.js';

export class SessionSettingsRepository extends EntityRepository<SessionSettings> {
  ownOfApp(appId: Id<'app'>): Promise<SessionSettings | null> {
    return this.findOne({ app: appId });
  }

  /** Reads the settings without the ORM, because every new session does. Returns null if the app has the default. */
  ofApp(appId: Id<'app'>): Statement<SessionSettingsRow | null> {
    return row(planned`select ${columnsOf(SessionSettings)} from session_settings where app_id = ${appId}`);
  }
}
