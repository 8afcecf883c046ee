import type { IncomingHttpHeaders } from 'node:http';
import { Body, Controller, Headers } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { CallingKey } from '../../../platform/auth/callers.js';
import { httpErrors } from '../../../platform/route/http.errors.js';
import { Route } from '../../../platform/route/route.js';
import { storageErrors } from '../../../platform/storage/storage.errors.js';
import { headersOnly } from '../../../platform/transfer/headers-only.js';
import { filesErrors } from '../files.errors.js';
import { UploadId } from '../upload-id.js';
import { TUS_ERROR_SHAPE, tusErrors } from './tus.errors.js';
import { FIRST_BYTES_BODY, OFFSET_BODY } from './tus.receivers.js';
import { abilities, created, FirstBytes, PROGRESS_HEADERS, progressOf, state, UploadBytes } from './tus.schema.js';
import { TusService } from './tus.service.js';
import { InTusVersion, TUS_VERSION } from './tus.version.js';

/** All answers say which version of tus they are in. */
const headers = { 'tus-resumable': TUS_VERSION };
const access = 'anyKey';

const checksum = ApiHeader({
  name: 'Upload-Checksum',
  description:
    'The algorithm `sha1` or `sha256`, and the checksum of the bytes in base64. Either all bytes of the request are kept, of which there may be 25 MiB, or none.',
  required: false,
  schema: { type: 'string' },
});

/** The refusals of bytes, in whichever request they are. */
const ERRORS_OF_BYTES = [
  tusErrors.checksumAlgorithmUnknown,
  tusErrors.tooManyParts,
  tusErrors.lengthExceeded,
  tusErrors.checksumMismatch,
  filesErrors.chunkTooLarge,
  filesErrors.contentMismatch,
];

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

  @InTusVersion()
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
  @checksum
  @Route('POST /api/public/files/tus', {
    access,
    summary: 'Start a resumable upload with the protocol tus',
    description:
      'The body may be left out, or has the first bytes of the file. If they are refused, no upload is created.',
    streamedBody: FIRST_BYTES_BODY,
    returns: headersOnly({ ...PROGRESS_HEADERS, location: 'The address of the upload.' }),
    status: 201,
    headers,
    takesIdempotencyKey: false,
    errors: [
      tusErrors.versionUnsupported,
      tusErrors.uploadTooLarge,
      filesErrors.unsupportedType,
      filesErrors.quotaReached,
      ...ERRORS_OF_BYTES,
    ],
  })
  async create(
    @CallingKey() actor: KeyActor,
    @Headers() sent: IncomingHttpHeaders,
    @Body({ schema: FirstBytes }) received: FirstBytes,
  ) {
    return created(await this.tus.begin(actor, sent, received));
  }

  @InTusVersion()
  @Route('HEAD /api/public/files/tus/{sessionId}', {
    access,
    errorShape: TUS_ERROR_SHAPE,
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
  async read(@CallingKey() actor: KeyActor, @UploadId() sessionId: Id<'uploadSession'>) {
    return state(await this.tus.read(actor, sessionId));
  }

  @InTusVersion()
  @ApiHeader({
    name: 'Upload-Offset',
    description: 'The number of bytes that have arrived before.',
    required: true,
    schema: { type: 'integer', minimum: 0, example: 0 },
  })
  @checksum
  @Route('PATCH /api/public/files/tus/{sessionId}', {
    access,
    errorShape: TUS_ERROR_SHAPE,
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
      ...ERRORS_OF_BYTES,
      tusErrors.offsetMismatch,
      httpErrors.notReady,
      filesErrors.uploadNotFound,
      filesErrors.uploadCompleted,
      filesErrors.uploadExpired,
    ],
  })
  async append(
    @CallingKey() actor: KeyActor,
    @UploadId() sessionId: Id<'uploadSession'>,
    @Body({ schema: UploadBytes }) _received: UploadBytes,
  ) {
    return progressOf(await this.tus.read(actor, sessionId));
  }

  @InTusVersion()
  @Route('DELETE /api/public/files/tus/{sessionId}', {
    access,
    errorShape: TUS_ERROR_SHAPE,
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
  async abandon(@CallingKey() actor: KeyActor, @UploadId() sessionId: Id<'uploadSession'>) {
    return this.tus.abandon(actor, sessionId).then(() => ({}));
  }
}
