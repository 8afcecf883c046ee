import type { IncomingHttpHeaders } from 'node:http';
import { Body, Controller, Headers } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { CallingKey } from '../../../platform/auth/callers.js';
import { PathId } from '../../../platform/route/path-id.js';
import { httpErrors } from '../../../platform/route/http.errors.js';
import { Route } from '../../../platform/route/route.js';
import { storageErrors } from '../../../platform/storage/storage.errors.js';
import { headersOnly } from '../../../platform/transfer/headers-only.js';
import { filesErrors } from '../files.errors.js';
import { TUS_ERRORS, tusErrors } from './tus.errors.js';
import { checkVersion, TUS_VERSION } from './tus.protocol.js';
import { OFFSET_BODY } from './tus.receiver.js';
import { abilities, created, PROGRESS_HEADERS, progressOf, state, toTusUpload, UploadBytes } from './tus.schema.js';
import { TusService } from './tus.service.js';

/** All answers say which version of tus they are in. */
const headers = { 'tus-resumable': TUS_VERSION };
const access = 'anyKey';

const version = ApiHeader({
  name: 'Tus-Resumable',
  description: 'The version of tus that the client speaks.',
  required: true,
  schema: { type: 'string', enum: [TUS_VERSION] },
});

/** Resumable uploads with the protocol of tus.io, for its clients. */
@ApiTags('Files over tus')
@Controller()
export class TusController {
  constructor(private readonly tus: TusService) {}

  @Route('OPTIONS /api/public/files/tus', {
    access,
    summary: 'Read what this service can do of the protocol tus',
    returns: headersOnly({
      'tus-version': 'The versions of tus that this service speaks.',
      'tus-extension': 'The extensions that this service has.',
      'tus-max-size': 'The most bytes that an upload may have.',
      'tus-checksum-algorithm': 'The algorithms of `Upload-Checksum`.',
    }),
    status: 204,
    headers,
  })
  options() {
    return abilities(this.tus.maxSize);
  }

  @version
  @ApiHeader({
    name: 'Upload-Length',
    description: 'The size of the file in bytes.',
    required: true,
    schema: { type: 'integer', minimum: 1, example: 60_000_000 },
  })
  @ApiHeader({
    name: 'Upload-Metadata',
    description:
      'Pairs of a key and a value in base64, separated by commas. `filename` is required, and `fileContext` is the purpose of the file, by default `bulkImport`.',
    required: true,
    schema: { type: 'string', example: 'filename b3JkZXJzLmNzdg==,fileContext YnVsa0ltcG9ydA==' },
  })
  @Route('POST /api/public/files/tus', {
    access,
    summary: 'Start a resumable upload with the protocol tus',
    returns: headersOnly({ ...PROGRESS_HEADERS, location: 'The address of the upload.' }),
    status: 201,
    headers,
    takesIdempotencyKey: false,
    errors: [
      tusErrors.versionUnsupported,
      tusErrors.uploadTooLarge,
      filesErrors.unsupportedType,
      filesErrors.quotaReached,
    ],
  })
  async create(@CallingKey() actor: KeyActor, @Headers() sent: IncomingHttpHeaders) {
    return created(await this.tus.create(actor, toTusUpload(sent)));
  }

  @version
  @Route('HEAD /api/public/files/tus/{sessionId}', {
    access,
    errorShape: TUS_ERRORS,
    takesMethodOverride: true,
    summary: 'Read how much of a resumable upload has arrived',
    returns: headersOnly({
      ...PROGRESS_HEADERS,
      'upload-length': 'The size of the file in bytes.',
      'upload-metadata': 'The metadata with which the upload was created.',
    }),
    headers,
    errors: [
      tusErrors.versionUnsupported,
      filesErrors.uploadNotFound,
      filesErrors.uploadExpired,
      filesErrors.contentMismatch,
      storageErrors.unavailable,
    ],
  })
  async read(
    @CallingKey() actor: KeyActor,
    @PathId('uploadSession', 'sessionId') sessionId: Id<'uploadSession'>,
    @Headers() sent: IncomingHttpHeaders,
  ) {
    checkVersion(sent);
    return state(await this.tus.read(actor, sessionId));
  }

  @version
  @ApiHeader({
    name: 'Upload-Offset',
    description: 'The number of bytes that have arrived before.',
    required: true,
    schema: { type: 'integer', minimum: 0, example: 0 },
  })
  @ApiHeader({
    name: 'Upload-Checksum',
    description:
      'The algorithm `sha1` or `sha256`, and the checksum of the bytes in base64. Either all bytes of the request are kept, of which there may be 25 MiB, or none.',
    required: false,
    schema: { type: 'string' },
  })
  @Route('PATCH /api/public/files/tus/{sessionId}', {
    access,
    errorShape: TUS_ERRORS,
    takesMethodOverride: true,
    summary: 'Send the next bytes of a resumable upload',
    description:
      'The bytes are kept as they arrive, also if the connection breaks. The last byte completes the upload, and the answer then names the file.',
    streamedBody: OFFSET_BODY,
    returns: headersOnly(PROGRESS_HEADERS),
    status: 204,
    headers,
    errors: [
      tusErrors.versionUnsupported,
      tusErrors.checksumAlgorithmUnknown,
      tusErrors.offsetMismatch,
      tusErrors.tooManyParts,
      tusErrors.lengthExceeded,
      tusErrors.checksumMismatch,
      filesErrors.chunkTooLarge,
      httpErrors.notReady,
      filesErrors.uploadNotFound,
      filesErrors.uploadCompleted,
      filesErrors.uploadExpired,
      filesErrors.contentMismatch,
    ],
  })
  async append(
    @CallingKey() actor: KeyActor,
    @PathId('uploadSession', 'sessionId') sessionId: Id<'uploadSession'>,
    @Body({ schema: UploadBytes }) _received: UploadBytes,
  ) {
    return progressOf(await this.tus.read(actor, sessionId));
  }

  @version
  @Route('DELETE /api/public/files/tus/{sessionId}', {
    access,
    errorShape: TUS_ERRORS,
    takesMethodOverride: true,
    summary: 'End a resumable upload and delete what has arrived',
    returns: headersOnly({}),
    status: 204,
    headers,
    errors: [
      tusErrors.versionUnsupported,
      filesErrors.uploadNotFound,
      filesErrors.uploadCompleted,
      filesErrors.uploadExpired,
    ],
  })
  async abandon(
    @CallingKey() actor: KeyActor,
    @PathId('uploadSession', 'sessionId') sessionId: Id<'uploadSession'>,
    @Headers() sent: IncomingHttpHeaders,
  ) {
    checkVersion(sent);
    return this.tus.abandon(actor, sessionId).then(() => ({}));
  }
}
