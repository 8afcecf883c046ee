import { Injectable } from '@nestjs/common';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { FilesService, type OpenFile } from '../files/files.service.js';
import { Places } from '../tenancy/places.service.js';
import { type Attachment, AttachmentStore } from './attachment-store.js';
import type { FileUploadConfig } from './session-settings.entity.js';
import { SessionSettingsService } from './session-settings.service.js';
import { SessionStore } from './session-store.js';
import { sessionsErrors } from './sessions.errors.js';
import { SessionsService } from './sessions.service.js';
import { ALLOWED_TYPES } from './sessions.schema.js';
import { tokensInFile } from './tokens.service.js';

const MB = 1_000_000;

/** Files that belong to sessions, so that they can be sent with messages. */
@Injectable()
export class AttachmentsService {
  constructor(
    private readonly database: Database,
    private readonly places: Places,
    private readonly sessions: SessionsService,
    private readonly store: SessionStore,
    private readonly attachments: AttachmentStore,
    private readonly settings: SessionSettingsService,
    private readonly files: FilesService,
  ) {}

  /** One that is attached already stays so. All that the session has then. */
  attach(
    actor: KeyActor,
    appId: Id<'app'>,
    envName: string,
    sessionId: Id<'session'>,
    fileId: Id<'file'>,
  ): Promise<Attachment[]> {
    return this.database.transaction(actor, async (em) => {
      const place = await this.places.of(appId, envName);
      if (!(await this.store.byId(em, place, sessionId))) throw sessionsErrors.sessionNotFound();
      await this.sessions.holdLive(em, sessionId);
      const file = await this.files.open(place.projectId, fileId);
      const present = await this.attachments.of(sessionId);
      if (present.some((each) => each.fileId === fileId)) return present;
      const attachment = toAttachment(fileId, file);
      const reason = reasonAgainst(attachment, present, await this.settings.configOf(appId));
      if (reason) throw sessionsErrors.attachmentRejected({ reason });
      await this.attachments.add(em, sessionId, attachment);
      await this.store.touch(em, sessionId);
      return [...present, attachment];
    });
  }
}

function toAttachment(fileId: Id<'file'>, { name, extension, size, mediaType }: OpenFile): Attachment {
  return { fileId, fileName: name, fileType: extension, size, tokens: tokensInFile(mediaType, size) };
}

function reasonAgainst(
  { fileType, size, tokens }: Attachment,
  present: readonly Attachment[],
  { isAttachmentsEnabled, maxFileCount, maxFileSize, maxTokens }: FileUploadConfig,
): string | undefined {
  if (!isAttachmentsEnabled) return 'the app takes no attachments';
  if (!ALLOWED_TYPES.includes(fileType)) return `its type ${fileType} is none of those allowed`;
  if (size > maxFileSize * MB) return `it has ${(size / MB).toFixed(1)} MB, and a file may have ${maxFileSize}`;
  if (present.length >= maxFileCount) return `the session has ${present.length} files, and may have ${maxFileCount}`;
  const taken = present.reduce((sum, each) => sum + each.tokens, 0);
  if (taken + tokens > maxTokens)
    return `it takes ${tokens} tokens, and of ${maxTokens} the session has ${maxTokens - taken} left`;
  return undefined;
}
