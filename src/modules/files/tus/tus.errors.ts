import { defineErrors } from '../../../kernel/errors.js';
import { DEFAULT_ERROR_SHAPE, type ErrorShape } from '../../../platform/route/error-shape.js';

export const tusErrors = defineErrors({
  checksumAlgorithmUnknown: {
    status: 400,
    code: 'CHECKSUM_ALGORITHM_UNKNOWN',
    message: 'Upload-Checksum names the algorithm {algorithm}, and this service knows {known}. Use one of them.',
    example: { values: { algorithm: 'crc32', known: 'sha1, sha256' } },
  },
  offsetMismatch: {
    status: 409,
    code: 'UPLOAD_OFFSET_MISMATCH',
    message:
      'The upload has {offset} bytes, and this request would continue it elsewhere. Ask for its offset with HEAD, and send what follows.',
    example: { values: { offset: 26_214_400 } },
  },
  versionUnsupported: {
    status: 412,
    code: 'TUS_VERSION_UNSUPPORTED',
    message: 'The header Tus-Resumable has to name a version of tus that this service speaks: {versions}.',
    example: { values: { versions: '1.0.0' } },
  },
  tooManyParts: {
    status: 413,
    code: 'UPLOAD_TOO_MANY_PARTS',
    message:
      'This upload has arrived in {limit} parts, which is the most. Start another one, and send more bytes in each request.',
    example: { values: { limit: 10_000 } },
  },
  uploadTooLarge: {
    status: 413,
    code: 'UPLOAD_TOO_LARGE',
    message:
      'An upload has at most {limit} bytes. Divide the file, or ask an administrator for a higher UPLOAD_MAX_GIB.',
    example: { values: { limit: 53_687_091_200 } },
  },
  lengthExceeded: {
    status: 413,
    code: 'UPLOAD_LENGTH_EXCEEDED',
    message: 'The request has more bytes than the {length} of Upload-Length leave. Send what is missing, and no more.',
    example: { values: { length: 60_000_000 } },
  },
  checksumMismatch: {
    status: 460,
    code: 'UPLOAD_CHECKSUM_MISMATCH',
    message: 'The bytes that arrived do not match their Upload-Checksum, and none were kept. Send them again.',
  },
});

const LOCKED = 423;

/**
 * The refusals of uploads that exist. Clients take most refusals of HEAD for the end of the upload, and send the whole
 * file again. Only after a 423 do they ask again, so it replaces the statuses of refusals that do not last.
 */
export const TUS_ERROR_SHAPE: ErrorShape = {
  ...DEFAULT_ERROR_SHAPE,
  statusOf: ({ status }, verb) => (verb === 'HEAD' && (status === 429 || status >= 500) ? LOCKED : status),
};
