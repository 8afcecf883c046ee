import { Injectable } from '@nestjs/common';
import type { AdminActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import type { Statement } from '../../../platform/database/statement.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { configOf, type FileUploadConfig, SessionSettings } from './session-settings.entity.js';
import { SessionSettingsRepository } from './session-settings.repository.js';

/** Reads and changes the limits of an app's attachments. */
@Injectable()
export class SessionSettingsService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly settings: SessionSettingsRepository,
  ) {}

  configOf(appId: Id<'app'>): Statement<FileUploadConfig> {
    return this.settings.ofApp(appId).as(configOf);
  }

  async read(appId: Id<'app'>): Promise<FileUploadConfig> {
    const app = await this.tenancy.app(appId);
    return this.database.ask(this.configOf(app.id));
  }

  change(actor: AdminActor, appId: Id<'app'>, changes: Partial<FileUploadConfig>): Promise<FileUploadConfig> {
    return this.database.transaction(actor, async (tx) => {
      const app = await this.tenancy.lockApp(tx, appId);
      const settings = (await this.settings.ownOfApp(appId)) ?? new SessionSettings(app);
      Object.assign(settings, changes);
      tx.em.persist(settings);
      return configOf(settings);
    });
  }
}
