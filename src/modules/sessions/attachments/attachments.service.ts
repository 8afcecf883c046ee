import { Injectable } from '@nestjs/common';
import type { KeyActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { FilesService, type OpenFile } from '../../files/files.service.js';
import { Environments } from '../../tenancy/environments.service.js';
import { AttachmentRepository } from './attachment.repository.js';
import type { AttachedFile } from '../session.entity.js';
import { SessionRepository } from '../session.repository.js';
import type { FileUploadConfig } from './session-settings.entity.js';
import { SessionSettingsService } from './session-settings.service.js';
import { sessionsErrors } from '../sessions.errors.js';
import { ALLOWED_TYPES } from '../sessions.schema.js';
import { tokensInFile } from '../memory/session-memory.service.js';

const MB = 1_000_000;

/** Attaches files to sessions, so that messages can refer to them. */
@Injectable()
export class AttachmentsService {
  constructor(
    private readonly database: Database,
    private readonly environments: Environments,
    private readonly sessions: SessionRepository,
    private readonly attachments: AttachmentRepository,
    private readonly settings: SessionSettingsService,
    private readonly files: FilesService,
  ) {}

  /** Attaches a file, unless it is attached already. Returns all attachments of the session. */
  attach(
    actor: KeyActor,
    appId: Id<'app'>,
    envName: string,
    sessionId: Id<'session'>,
    fileId: Id<'file'>,
  ): Promise<AttachedFile[]> {
    return this.database.transaction(actor, async (tx) => {
      const env = await tx.ask(this.environments.ref(appId, envName));
      if (!(await tx.ask(this.sessions.inEnvironment(env, sessionId)))) throw sessionsErrors.sessionNotFound();
      await this.lockLive(tx, sessionId);
      const file = await this.files.open(env.projectId, fileId);
      const present = await tx.ask(this.attachments.ofSession(sessionId));
      if (present.some((each) => each.fileId === fileId)) return present;
      const attachment = toAttachment(fileId, file);
      const reason = reasonAgainst(attachment, present, await tx.ask(this.settings.configOf(appId)));
      if (reason) throw sessionsErrors.attachmentRejected({ reason });
      await tx.askAll([this.attachments.add(sessionId, attachment), this.sessions.touch(sessionId)]);
      return [...present, attachment];
    });
  }

  private async lockLive(tx: Transaction, sessionId: Id<'session'>): Promise<void> {
    const session = await tx.ask(this.sessions.lock(sessionId));
    if (!session) throw sessionsErrors.sessionNotFound();
    if (session.endedAt) throw sessionsErrors.sessionTerminated();
  }
}

function toAttachment(fileId: Id<'file'>, { name, extension, size, mediaType }: OpenFile): AttachedFile {
  return { fileId, fileName: name, fileType: extension, size, tokens: tokensInFile(mediaType, size) };
}

function reasonAgainst(
  { fileType, size, tokens }: AttachedFile,
  present: readonly AttachedFile[],
  { isAttachmentsEnabled, maxFileCount, maxFileSize, maxTokens }: FileUploadConfig,
): string | undefined {
  if (!isAttachmentsEnabled) return 'the app does not accept attachments';
  if (!ALLOWED_TYPES.includes(fileType)) return `its type ${fileType} is not allowed`;
  if (size > maxFileSize * MB)
    return `it has ${(size / MB).toFixed(1)} MB, and the limit of a file is ${maxFileSize} MB`;
  if (present.length >= maxFileCount)
    return `the session has ${present.length} files, and the limit is ${maxFileCount}`;
  const taken = present.reduce((sum, each) => sum + each.tokens, 0);
  if (taken + tokens > maxTokens)
    return `it takes ${tokens} tokens, and of ${maxTokens} the session has ${maxTokens - taken} left`;
  return undefined;
}
