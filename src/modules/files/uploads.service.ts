import { Injectable } from '@nestjs/common';
import { type KeyActor, SYSTEM } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import type { OffsetQuery } from '../../kernel/schema.js';
import { HOUR_MS } from '../../kernel/spans.js';
import { Settings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { Events } from '../../platform/events/events.js';
import { type Issue, validationError } from '../../platform/route/validation.js';
import type { ObjectName } from '../../platform/storage/stored-objects.js';
import { HEAD_BYTES } from '../../platform/transfer/intake.js';
import type { ReceivedFile } from '../../platform/transfer/received-file.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { FileContents } from './file-contents.js';
import { checkContent, checkExtension } from './file-types.js';
import { File } from './file.entity.js';
import { FileUploaded } from './files.events.js';
import { filesErrors } from './files.errors.js';
import { isError } from './is-error.js';
import { StorageQuota } from './storage-quota.js';
import { UploadContexts } from './upload-contexts.js';
import {
  checkNumber,
  checkOpen,
  checkTakesChunks,
  chunkNumberIn,
  missingFrom,
  type NewUpload,
  UploadSession,
} from './upload-session.entity.js';
import { UploadSessionRepository } from './upload-session.repository.js';

const GIB = 1024 ** 3;

export type UploadRequest = Omit<NewUpload, 'expiresAt'> & { isAdapter: boolean | undefined };

const NO_ADAPTERS: Issue = {
  path: ['isAdapter'],
  message: 'is only accepted in contexts whose files become models; take it out',
};

/** Receives files in chunks, which may arrive in any order, concurrently and repeatedly. */
@Injectable()
export class UploadsService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly sessions: UploadSessionRepository,
    private readonly contents: FileContents,
    private readonly quota: StorageQuota,
    private readonly contexts: UploadContexts,
    private readonly settings: Settings,
    private readonly events: Events,
  ) {}

  /** Starts an upload, and reserves the bytes of the file in its project. */
  async start(actor: KeyActor, { isAdapter, ...request }: UploadRequest): Promise<UploadSession> {
    checkExtension(request.context, request.extension);
    const uploadContext = this.contexts.find(request.context);
    const issues = [...this.overLimits(request), ...(isAdapter !== undefined && !uploadContext ? [NO_ADAPTERS] : [])];
    if (issues.length > 0) throw validationError(issues);
    const expiresAt = new Date(clock.now().getTime() + this.settings.UPLOAD_HOURS * HOUR_MS);
    return this.database.transaction(actor, async (tx) => {
      const session = new UploadSession(await this.tenancy.project(actor.projectId), { ...request, expiresAt });
      tx.em.persist(session);
      await tx.em.flush();
      const { id: sessionId, context, name: fileName, extension: fileExtension, size: fileSize } = session;
      const upload = { sessionId, context, fileName, fileExtension, fileSize, isAdapter: isAdapter ?? false };
      const started = await uploadContext?.onStart(tx, actor, upload);
      session.modelId = started?.modelId ?? null;
      session.reservedBytes = session.size;
      await tx.ask(this.quota.reserve(actor.projectId, session.size));
      return session;
    });
  }

  /** Returns the object for the next chunk. Refuses if the upload takes no chunks. */
  async open(projectId: Id<'project'>, sessionId: Id<'uploadSession'>): Promise<ObjectName> {
    const object = newId('storedObject');
    const isOpen = this.sessions.isOpen(projectId, sessionId);
    const session = found(
      await this.database.ask(
        this.contents.announcing(object, isOpen, this.sessions.rowInProject(projectId, sessionId)),
      ),
    );
    checkOpen(session);
    checkTakesChunks(session);
    return object;
  }

  /** Writes the row of a chunk that is already in the store, and counts it. */
  async takeChunk(
    actor: KeyActor,
    sessionId: Id<'uploadSession'>,
    chunkNumber: string,
    { size, object }: ReceivedFile,
  ): Promise<number> {
    const { projectId } = actor;
    return this.database.transaction(actor, async (tx) => {
      const number = chunkNumberIn(chunkNumber);
      const session = found(await tx.ask(this.sessions.lockRow(projectId, sessionId)));
      checkOpen(session);
      checkTakesChunks(session);
      checkNumber(session, number);
      const part = { projectId, contentId: sessionId, number, size, object };
      const hasRoom = await tx.ask(this.contents.takeChunk(tx, session, part, this.quota.limit));
      if (!hasRoom) throw this.quota.reached();
      return number;
    });
  }

  listOpen(projectId: Id<'project'>, part: OffsetQuery): Promise<[UploadSession[], number]> {
    return this.sessions.open(projectId, part);
  }

  async read(projectId: Id<'project'>, sessionId: Id<'uploadSession'>): Promise<UploadSession> {
    return found(await this.sessions.inProject(projectId, sessionId));
  }

  /** Refuses an upload that has expired. A completed upload does not expire. */
  async readWithChunks(projectId: Id<'project'>, sessionId: Id<'uploadSession'>) {
    const session = await this.read(projectId, sessionId);
    if (!session.fileId) checkOpen(session);
    return { session, chunks: await this.contents.numbersOf(session.id) };
  }

  /** Completes an upload exactly once, even if it is requested concurrently. It reads only the head of the content. */
  async complete(actor: KeyActor, sessionId: Id<'uploadSession'>): Promise<UploadSession> {
    const session = await this.read(actor.projectId, sessionId);
    if (session.fileId) return session;
    await this.checkComplete(session);
    const { revision } = session;
    // A file that becomes a model is not checked here, because its import reads all of it.
    if (session.modelId === null) await this.checkContent(actor, session);
    const completed = await this.makeFile(actor, sessionId, revision);
    // Without a result, a chunk has arrived meanwhile, so the check was of another content.
    return completed ?? this.complete(actor, sessionId);
  }

  /** Deletes an unfinished upload and its chunks. */
  async abandon(actor: KeyActor, sessionId: Id<'uploadSession'>): Promise<void> {
    await this.database.transaction(actor, async (tx) => {
      const session = found(await this.sessions.lockInProject(actor.projectId, sessionId));
      checkOpen(session);
      await this.release(tx, session);
      tx.em.remove(session);
    });
  }

  /** Releases the chunks and bytes of some expired uploads, and returns whether there may be more of them. */
  async expireSome(): Promise<boolean> {
    return this.database.apart(() =>
      this.database.transaction(SYSTEM, async (tx) => {
        const sessions = await this.sessions.lockExpired();
        for (const session of sessions) {
          await this.release(tx, session);
          session.release();
        }
        return sessions.length > 0;
      }),
    );
  }

  private overLimits({ size, totalChunks }: Pick<UploadRequest, 'size' | 'totalChunks'>): Issue[] {
    const { UPLOAD_MAX_CHUNKS: maxChunks, UPLOAD_MAX_GIB: maxGib } = this.settings;
    const issues: Issue[] = [];
    if (totalChunks > maxChunks) issues.push({ path: ['totalChunks'], message: `must be at most ${maxChunks}` });
    if (size > maxGib * GIB) issues.push({ path: ['fileSize'], message: `must be at most ${maxGib} GiB` });
    return issues;
  }

  private async checkComplete(session: UploadSession): Promise<void> {
    checkOpen(session);
    if (session.receivedChunks === session.totalChunks) return session.checkWhole(() => []);
    // The clients of an upload over tus would look for missing chunks in vain.
    checkTakesChunks(session);
    const chunks = new Set(await this.contents.numbersOf(session.id));
    session.checkWhole(() => missingFrom(session, chunks));
  }

  /** Deletes an upload over tus if its content is refused, because its bytes cannot be replaced as chunks can. */
  private async checkContent(actor: KeyActor, { id, extension, tusMetadata }: UploadSession): Promise<void> {
    try {
      await checkContent(extension, () => this.contents.head(id, HEAD_BYTES));
    } catch (error) {
      if (isError(error, filesErrors.contentMismatch) && tusMetadata !== null) await this.abandon(actor, id);
      throw error;
    }
  }

  /** Makes the file, or returns null if the upload has changed since the revision. */
  private makeFile(actor: KeyActor, sessionId: Id<'uploadSession'>, revision: number): Promise<UploadSession | null> {
    return this.database.transaction(actor, async (tx) => {
      const session = found(await this.sessions.lockInProject(actor.projectId, sessionId));
      if (session.fileId) return session;
      if (session.revision !== revision) return null;
      checkOpen(session);
      const { project, context, name, extension, size, modelId } = session;
      const file = new File(project, { context, name, extension, size, contentId: session.id });
      tx.em.persist(file);
      session.complete(file);
      await this.events.publish(tx, FileUploaded, { fileId: file.id, projectId: project.id, context, size });
      const uploadContext = modelId === null ? undefined : this.contexts.find(context);
      if (uploadContext) {
        await tx.em.flush();
        const upload = { sessionId, context, modelId: modelId!, fileId: file.id };
        session.importStarted = await uploadContext.onComplete(tx, actor, upload);
      }
      return session;
    });
  }

  private async release(tx: Transaction, { id, project, reservedBytes }: UploadSession): Promise<void> {
    await this.contents.delete(tx, id);
    this.quota.release(tx, project.id, reservedBytes);
  }
}

function found<Session>(session: Session | null): Session {
  if (!session) throw filesErrors.uploadNotFound();
  return session;
}
