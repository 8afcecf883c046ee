import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { KeyActor } from '../../../kernel/actor.js';
import type { SlipwayError } from '../../../kernel/errors.js';
import type { Id } from '../../../kernel/ids.js';
import { Settings } from '../../../platform/config/settings.js';
import { Database } from '../../../platform/database/database.js';
import { httpErrors } from '../../../platform/route/http.errors.js';
import type { Content } from '../../../platform/storage/storage.js';
import { StoredObjects } from '../../../platform/storage/stored-objects.js';
import { Log } from '../../../platform/telemetry/log.js';
import type { RawBody } from '../../../platform/transfer/raw-body.js';
import { FileContents } from '../file-contents.js';
import { filesErrors } from '../files.errors.js';
import { isError } from '../is-error.js';
import { checkOpen, type UploadSession, type UploadSessionRow } from '../upload-session.entity.js';
import { UploadSessionRepository } from '../upload-session.repository.js';
import { UploadsService } from '../uploads.service.js';
import { tusErrors } from './tus.errors.js';
import type { Checksum } from './tus.protocol.js';
import { type FirstBytes, type NewTusUpload, toTusUpload } from './tus.schema.js';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** A crash loses at most the part that is just arriving, so a part is small and does not take long. */
const PART_BYTES = 8 * MIB;
const PART_MS = 30_000;
/** Bytes with a checksum are one part, because they are kept all together or not at all. */
const CHECKED_BYTES = 25 * MIB;
/** Half of the time after which an object that no row names is removed, although it is still being written. */
const CHECKED_MS = 1_800_000;

export interface Continuation {
  offset: number;
  /** The number of bytes that follow, if the client says it. */
  bytes: number | undefined;
  checksum: Checksum | undefined;
}

/** Receives files over tus. An upload is one as in chunks, of which each part continues where the last one ended. */
@Injectable()
export class TusService {
  readonly maxSize: number;

  constructor(
    private readonly database: Database,
    private readonly uploads: UploadsService,
    private readonly sessions: UploadSessionRepository,
    private readonly contents: FileContents,
    private readonly objects: StoredObjects,
    private readonly settings: Settings,
    private readonly log: Log,
  ) {
    this.maxSize = Math.floor(Math.min(settings.UPLOAD_MAX_GIB * GIB, settings.UPLOAD_MAX_CHUNKS * PART_BYTES));
  }

  create(actor: KeyActor, upload: NewTusUpload): Promise<UploadSession> {
    const { maxSize: limit } = this;
    if (upload.size > limit) throw tusErrors.uploadTooLarge({ limit }, { headers: { 'tus-max-size': String(limit) } });
    return this.uploads.start(actor, upload);
  }

  /**
   * Creates an upload with its first bytes. If they are refused or do not arrive, it is deleted, because its client does
   * not learn its address.
   */
  async createWith(
    actor: KeyActor,
    upload: NewTusUpload,
    body: Omit<Continuation, 'offset'>,
    open: () => RawBody,
  ): Promise<UploadSession> {
    const session = await this.create(actor, upload);
    try {
      await this.append(actor, session.id, { ...body, offset: 0 }, open);
    } catch (error) {
      // The client of a process that stops is told the address, so that it continues with another process.
      if (isError(error, httpErrors.notReady)) return session;
      await this.abandonUnknown(actor, session.id);
      throw error;
    }
    return session;
  }

  /** Creates an upload, unless the receiver of its first bytes has done so already. */
  begin(
    actor: KeyActor,
    headers: IncomingHttpHeaders,
    received: FirstBytes,
  ): Promise<UploadSessionRow | UploadSession> {
    return received ? this.read(actor, received.sessionId) : this.create(actor, toTusUpload(headers));
  }

  /** Returns an upload, which is complete if all of it has arrived. A crash may have come before its completion. */
  async read(actor: KeyActor, sessionId: Id<'uploadSession'>): Promise<UploadSessionRow | UploadSession> {
    const session = await this.find(actor, sessionId);
    if (session.fileId) return session;
    checkOpen(session);
    return session.receivedBytes < session.size ? session : this.uploads.complete(actor, sessionId);
  }

  async abandon(actor: KeyActor, sessionId: Id<'uploadSession'>): Promise<void> {
    await this.find(actor, sessionId);
    await this.uploads.abandon(actor, sessionId);
  }

  /** Keeps the bytes of a body part by part. After a break, what has arrived is a part too. */
  async append(
    actor: KeyActor,
    sessionId: Id<'uploadSession'>,
    { offset, bytes, checksum }: Continuation,
    open: () => RawBody,
  ): Promise<void> {
    const session = await this.find(actor, sessionId);
    checkContinues(session, offset);
    if (offset + (bytes ?? 0) > session.size) throw tusErrors.lengthExceeded({ length: session.size });
    if (checksum && (bytes ?? 0) > CHECKED_BYTES) throw filesErrors.chunkTooLarge();
    const body = open();
    try {
      for (let at = offset; await body.hasMore();) {
        at += checksum
          ? await this.appendChecked(actor, session, at, body, checksum)
          : await this.appendPart(actor, session, at, nextPart(body, session.size, at));
      }
      body.throwIfCut();
    } finally {
      body.leave();
    }
  }

  /** Abandons an upload whose client learns why it was refused. If that fails, the upload expires. */
  private async abandonUnknown(actor: KeyActor, sessionId: Id<'uploadSession'>): Promise<void> {
    try {
      await this.database.apart(() => this.uploads.abandon(actor, sessionId));
    } catch (error) {
      this.log.warn({ sessionId, err: error }, 'An upload whose first bytes were refused was not abandoned');
    }
  }

  private async find({ projectId }: KeyActor, sessionId: Id<'uploadSession'>): Promise<UploadSessionRow> {
    const session = await this.database.ask(this.sessions.tusRow(projectId, sessionId));
    if (!session) throw filesErrors.uploadNotFound();
    return session;
  }

  /** Keeps the whole rest of a body if it is what the checksum says, or else nothing. */
  private appendChecked(
    actor: KeyActor,
    session: UploadSessionRow,
    offset: number,
    body: RawBody,
    { hash, expected }: Checksum,
  ): Promise<number> {
    const late = setTimeout(() => body.cut(tooSlow()), CHECKED_MS).unref();
    body.whenLeft(() => clearTimeout(late));
    const checked = async function* () {
      for await (const piece of body.part(Math.min(CHECKED_BYTES, session.size - offset))) {
        hash.update(piece);
        yield piece;
      }
      if (await body.hasMore()) {
        throw offset + CHECKED_BYTES < session.size
          ? filesErrors.chunkTooLarge()
          : tusErrors.lengthExceeded({ length: session.size });
      }
      body.throwIfCut();
      if (!hash.digest().equals(expected)) throw tusErrors.checksumMismatch();
    };
    return this.appendPart(actor, session, offset, checked());
  }

  /** Stores a part, and then counts it in a transaction that no client delays. Returns its size. */
  private async appendPart(
    actor: KeyActor,
    { id: contentId, projectId }: UploadSessionRow,
    offset: number,
    content: Content,
  ): Promise<number> {
    let size = 0;
    const counted = async function* () {
      for await (const piece of content) {
        size += piece.length;
        yield piece;
      }
    };
    const object = await this.objects.write(counted());
    try {
      await this.database.transaction(actor, async (tx) => {
        const session = await tx.ask(this.sessions.lockRow(projectId, contentId));
        if (!session) throw filesErrors.uploadNotFound();
        checkContinues(session, offset);
        const { receivedChunks: number } = session;
        const limit = this.settings.UPLOAD_MAX_CHUNKS;
        if (number >= limit) throw tusErrors.tooManyParts({ limit });
        await tx.ask(this.contents.append(tx, { projectId, contentId, number, size, object }));
      });
    } catch (error) {
      await this.objects.discard(object);
      throw error;
    }
    return size;
  }
}

/** Reads a part. The last one is refused if more follows, because an upload must not end with content that is cut. */
async function* nextPart(body: RawBody, length: number, offset: number): AsyncGenerator<Buffer> {
  let left = length - offset;
  for await (const piece of body.part(Math.min(PART_BYTES, left), PART_MS)) {
    left -= piece.length;
    yield piece;
  }
  if (left === 0 && (await body.hasMore())) throw tusErrors.lengthExceeded({ length });
}

function tooSlow(): SlipwayError {
  return httpErrors.requestTimeout({ headers: { connection: 'close' } });
}

function checkContinues(session: UploadSessionRow, offset: number): void {
  checkOpen(session);
  if (session.receivedBytes !== offset) throw tusErrors.offsetMismatch({ offset: session.receivedBytes });
}
