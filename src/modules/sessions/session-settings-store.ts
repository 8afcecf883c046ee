import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { columns, planned } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import type { FileUploadConfig } from './session-settings.entity.js';

const CONFIG = columns<FileUploadConfig>({
  maxFileCount: 'max_file_count',
  maxFileSize: 'max_file_size',
  maxTokens: 'max_tokens',
  isAttachmentsEnabled: 'is_attachments_enabled',
});

/** What sessions take, asked with each of them. */
@Injectable()
export class SessionSettingsStore {
  constructor(private readonly statements: Statements) {}

  /** Nothing where the app has the default. */
  async ownOf(appId: Id<'app'>): Promise<FileUploadConfig | undefined> {
    const query = planned`select ${CONFIG} from session_settings where app_id = ${appId}`;
    const [own] = await this.statements.run<FileUploadConfig>(query);
    return own;
  }
}
