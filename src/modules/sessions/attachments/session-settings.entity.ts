import { Entity, OneToOne, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp } from '@mikro-orm/postgresql';
import { Audited } from '../../../platform/audit/audited.js';
import type { RowOf } from '../../../platform/database/columns.js';
import { App } from '../../tenancy/app.entity.js';
import { SessionSettingsRepository } from './session-settings.repository.js';

/** What files a session takes. */
export interface FileUploadConfig {
  maxFileCount: number;
  /** In MB. */
  maxFileSize: number;
  maxTokens: number;
  isAttachmentsEnabled: boolean;
}

export const DEFAULT_CONFIG: Readonly<FileUploadConfig> = {
  maxFileCount: 10,
  maxFileSize: 25,
  maxTokens: 100_000,
  isAttachmentsEnabled: true,
};

/** Where an app is to have others than the default ones. */
@Audited({ kind: 'sessionSettings', project: 'app.project', target: 'app' })
@Entity({ tableName: 'session_settings', repository: () => SessionSettingsRepository })
export class SessionSettings implements FileUploadConfig {
  [EntityRepositoryType]?: SessionSettingsRepository;
  [PrimaryKeyProp]?: 'app';

  @OneToOne(() => App, { primary: true, owner: true, deleteRule: 'cascade', updateRule: 'no action' })
  readonly app: App;

  @Property({ type: 'integer' })
  maxFileCount: number = DEFAULT_CONFIG.maxFileCount;

  @Property({ type: 'integer' })
  maxFileSize: number = DEFAULT_CONFIG.maxFileSize;

  @Property({ type: 'integer' })
  maxTokens: number = DEFAULT_CONFIG.maxTokens;

  @Property({ type: 'boolean' })
  isAttachmentsEnabled: boolean = DEFAULT_CONFIG.isAttachmentsEnabled;

  constructor(app: App) {
    this.app = app;
  }
}

export type SessionSettingsRow = RowOf<SessionSettings>;

/** What an app's settings say; the default where it has none. */
export function configOf(settings: FileUploadConfig | null): FileUploadConfig {
  const { maxFileCount, maxFileSize, maxTokens, isAttachmentsEnabled } = settings ?? DEFAULT_CONFIG;
  return { maxFileCount, maxFileSize, maxTokens, isAttachmentsEnabled };
}
