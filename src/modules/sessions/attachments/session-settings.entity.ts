import { Entity, OneToOne, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp } from '@mikro-orm/postgresql';
import { Audited } from '../../../platform/audit/audited.js';
import type { RowOf } from '../../../platform/database/columns.js';
import { App } from '../../tenancy/app.entity.js';
import { SessionSettingsRepository } from './session-settings.repository.js';

/** The limits of the files that may be attached to a session. */
export interface FileUploadConfig {
  maxFileCount: number;
  /** The largest size of a file in MB. */
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

/** The limits of an app that differ from the default. */
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

/** Returns the limits of an app, or the default ones if it has no settings. */
export function configOf(settings: FileUploadConfig | null): FileUploadConfig {
  const { maxFileCount, maxFileSize, maxTokens, isAttachmentsEnabled } = settings ?? DEFAULT_CONFIG;
  return { maxFileCount, maxFileSize, maxTokens, isAttachmentsEnabled };
}
