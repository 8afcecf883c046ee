import { Injectable } from '@nestjs/common';
import type { AdminActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { planned } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { DEFAULT_CONFIG, type FileUploadConfig, SessionSettings } from './session-settings.entity.js';
import { SessionSettingsRepository } from './session-settings.repository.js';

/** What sessions of an app take. */
@Injectable()
export class SessionSettingsService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly settings: SessionSettingsRepository,
    private readonly statements: Statements,
  ) {}

  async configOf(appId: Id<'app'>): Promise<FileUploadConfig> {
    const [own] = await this.statements.run<FileUploadConfig>(
      planned`select max_file_count as "maxFileCount", max_file_size as "maxFileSize", max_tokens as "maxTokens",
                is_attachments_enabled as "isAttachmentsEnabled"
              from session_settings where app_id = ${appId}`,
    );
    return own ?? { ...DEFAULT_CONFIG };
  }

  async read(appId: Id<'app'>): Promise<FileUploadConfig> {
    const app = await this.tenancy.app(appId);
    return this.configOf(app.id);
  }

  change(actor: AdminActor, appId: Id<'app'>, changes: Partial<FileUploadConfig>): Promise<FileUploadConfig> {
    return this.database.transaction(actor, async (em) => {
      const app = await this.tenancy.app(appId);
      const settings = (await this.settings.lockOfApp(appId)) ?? new SessionSettings(app);
      Object.assign(settings, changes);
      em.persist(settings);
      return settings.config;
    });
  }
}
