import { Injectable } from '@nestjs/common';
import type { AdminActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { DEFAULT_CONFIG, type FileUploadConfig, SessionSettings } from './session-settings.entity.js';
import { SessionSettingsRepository } from './session-settings.repository.js';
import { SessionSettingsStore } from './session-settings-store.js';

/** What sessions of an app take. */
@Injectable()
export class SessionSettingsService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly settings: SessionSettingsRepository,
    private readonly store: SessionSettingsStore,
  ) {}

  async configOf(appId: Id<'app'>): Promise<FileUploadConfig> {
    return (await this.store.ownOf(appId)) ?? { ...DEFAULT_CONFIG };
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
