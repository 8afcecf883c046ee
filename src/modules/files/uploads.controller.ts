import { Body, Controller, Query } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { OffsetQuery } from '../../kernel/schema.js';
import { CallingKey } from '../../platform/auth/callers.js';
import { plain } from '../../platform/route/answer.js';
import { formBody } from '../../platform/route/body-format.js';
import { Route } from '../../platform/route/route.js';
import { storageErrors } from '../../platform/storage/storage.errors.js';
import { FileLinks } from './file-links.js';
import { filesErrors } from './files.errors.js';
import { ChunkReceiver } from './files.receivers.js';
import { UploadId } from './upload-id.js';
import type { UploadSession } from './upload-session.entity.js';
import {
  ChunkTakenView,
  OpenUploads,
  StartUpload,
  toOpenUploadView,
  toUploadRequest,
  toUploadStartedView,
  toUploadView,
  UploadChunk,
  uploadCompleted,
  UploadGone,
  UploadStartedView,
  UploadView,
} from './uploads.schema.js';
import { UploadsService } from './uploads.service.js';

@ApiTags('Files in chunks')
@Controller()
export class UploadsController {
  constructor(
    private readonly uploads: UploadsService,
    private readonly links: FileLinks,
  ) {}

  @Route('POST /api/public/files/session/start', {
    access: 'anyKey',
    summary: 'Start an upload in chunks',
    returns: plain(UploadStartedView),
    status: 201,
    errors: [filesErrors.unsupportedType, filesErrors.quotaReached],
  })
  async start(@CallingKey() actor: KeyActor, @Body({ schema: StartUpload }) body: StartUpload) {
    return toUploadStartedView(await this.uploads.start(actor, toUploadRequest(body)));
  }

  @Route('GET /api/public/files/session', {
    access: 'anyKey',
    summary: 'List the uploads that are not complete, newest first',
    description: 'The list has neither expired uploads nor completed ones, whose files can be linked to.',
    returns: plain(OpenUploads),
  })
  async list(@CallingKey() { projectId }: KeyActor, @Query({ schema: OffsetQuery }) query: OffsetQuery) {
    const [uploads, total] = await this.uploads.listOpen(projectId, query);
    return { uploads: uploads.map(toOpenUploadView), total };
  }

  @ApiHeader({
    name: 'Content-Digest',
    description:
      'The SHA-256 of the chunk in base64, as `sha-256=:…:`. The chunk is refused if other bytes have arrived.',
    required: false,
    schema: { type: 'string' },
  })
  @Route('POST /api/public/files/session/{sessionId}', {
    access: 'anyKey',
    summary: 'Send a chunk of at most 25 MiB',
    description:
      'Chunks may be sent in any order, several at a time, and again. Of several chunks with the same number, the last one counts.',
    streamedBody: formBody(ChunkReceiver),
    returns: plain(ChunkTakenView),
    takesIdempotencyKey: false,
    errors: [
      filesErrors.uploadNotFound,
      filesErrors.uploadCompleted,
      filesErrors.uploadExpired,
      filesErrors.chunkNumberInvalid,
      filesErrors.chunkDigestMismatch,
      filesErrors.chunkTooLarge,
      filesErrors.quotaReached,
    ],
  })
  async sendChunk(
    @CallingKey() actor: KeyActor,
    @UploadId() sessionId: Id<'uploadSession'>,
    @Body({ schema: UploadChunk }) { chunkNumber, file }: UploadChunk,
  ) {
    return { chunkNumber: await this.uploads.takeChunk(actor, sessionId, chunkNumber, file), sessionId };
  }

  @Route('GET /api/public/files/session/{sessionId}', {
    access: 'anyKey',
    summary: 'Read which chunks of an upload have arrived',
    returns: plain(UploadView),
    errors: [filesErrors.uploadNotFound, filesErrors.uploadExpired],
  })
  async read(@CallingKey() { projectId }: KeyActor, @UploadId() sessionId: Id<'uploadSession'>) {
    const { session, chunks } = await this.uploads.readWithChunks(projectId, sessionId);
    return toUploadView(session, chunks);
  }

  @Route('POST /api/public/files/session/{sessionId}/complete', {
    access: 'anyKey',
    summary: 'Make the file from the chunks that were sent',
    description:
      'The request may be repeated; the file is made only once. If the context makes a model of the file, the answer has a job.',
    returns: uploadCompleted,
    takesIdempotencyKey: false,
    errors: [
      filesErrors.uploadNotFound,
      filesErrors.uploadExpired,
      filesErrors.chunksMissing,
      filesErrors.takesNoChunks,
      filesErrors.sizeMismatch,
      filesErrors.contentMismatch,
      storageErrors.unavailable,
    ],
  })
  async complete(@CallingKey() actor: KeyActor, @UploadId() sessionId: Id<'uploadSession'>) {
    return this.toCompletedView(await this.uploads.complete(actor, sessionId));
  }

  @Route('DELETE /api/public/files/session/{sessionId}', {
    access: 'anyKey',
    summary: 'Abandon an upload and delete its chunks',
    returns: plain(UploadGone),
    errors: [filesErrors.uploadNotFound, filesErrors.uploadCompleted, filesErrors.uploadExpired],
  })
  async abandon(@CallingKey() actor: KeyActor, @UploadId() sessionId: Id<'uploadSession'>) {
    return this.uploads.abandon(actor, sessionId).then(() => ({ sessionId }));
  }

  /** Returns the same link as long as it is valid, so that a repeated request gets the same answer. */
  private toCompletedView({ importStarted, fileId, completedAt }: UploadSession) {
    if (!importStarted) return { url: this.links.since(completedAt!, fileId!), fileId: fileId! };
    // The database does not keep the order of the members, and the answer has them in this order.
    const { dockStatusId, modelId, jobType, action, status } = importStarted;
    return { dockStatusId, modelId, jobType, action, status };
  }
}
