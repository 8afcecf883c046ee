import { defineErrors } from '../../kernel/errors.js';

export const filesErrors = defineErrors({
  unsupportedType: {
    status: 400,
    code: 'UNSUPPORTED_FILE_TYPE',
    message: 'Files with the extension "{extension}" are not taken for {context}. Taken are: {taken}.',
    example: { values: { extension: 'exe', context: 'chat', taken: 'm4a, mp3, webm, mp4' } },
  },
  contentMismatch: {
    status: 400,
    code: 'FILE_CONTENT_MISMATCH',
    message:
      'The content is not what the extension "{extension}" says. Send the file under the extension it really has.',
    example: { values: { extension: 'png' } },
  },
  chunkNumberInvalid: {
    status: 400,
    code: 'CHUNK_NUMBER_INVALID',
    message:
      'Chunks of this upload have numbers from 0 to {last}, or from 1 to {total}, counted in one way throughout: {reason}.',
    example: { values: { reason: '12 is none of these', last: 9, total: 10 } },
  },
  chunkDigestMismatch: {
    status: 400,
    code: 'CHUNK_DIGEST_MISMATCH',
    message: 'What arrived of the chunk is not what its Content-Digest says. Send the chunk again.',
  },
  linkInvalid: {
    status: 403,
    code: 'LINK_INVALID',
    message: 'This link was not made here, or was changed. GET /api/public/files/{fileId} answers a good one.',
    example: { values: { fileId: 'f-0VJ8kQ2xT4bN7mRw1ZcYp3' } },
  },
  linkExpired: {
    status: 403,
    code: 'LINK_EXPIRED',
    message: 'This link is no longer good. GET /api/public/files/{fileId} answers a fresh one.',
    example: { values: { fileId: 'f-0VJ8kQ2xT4bN7mRw1ZcYp3' } },
  },
  fileNotFound: {
    status: 404,
    code: 'FILE_NOT_FOUND',
    message: 'The project has no such file. It may have been deleted; upload it again.',
  },
  uploadNotFound: {
    status: 404,
    code: 'UPLOAD_NOT_FOUND',
    message: 'The project has no such upload. It may have been abandoned, or be long over; start another one.',
  },
  chunksMissing: {
    status: 409,
    code: 'CHUNKS_MISSING',
    message: 'Not all chunks have arrived; `details.missingChunks` names the others. Send them, then complete again.',
    example: { details: { missingChunks: [3, 7] } },
  },
  sizeMismatch: {
    status: 409,
    code: 'FILE_SIZE_MISMATCH',
    message:
      'The chunks have {received} bytes together, and {declared} were announced. Send those again that are not whole, or start anew with the right size.',
    example: { values: { received: 41_943_040, declared: 52_428_800 } },
  },
  uploadCompleted: {
    status: 409,
    code: 'UPLOAD_COMPLETED',
    message: 'This upload is complete and its file does not change any more. Start another upload for another file.',
  },
  uploadExpired: {
    status: 410,
    code: 'UPLOAD_EXPIRED',
    message: 'This upload was not completed in time and what had arrived is gone. Start another one.',
  },
  chunkTooLarge: {
    status: 413,
    code: 'CHUNK_TOO_LARGE',
    message: 'A chunk has at most 25 MiB. Send the file in more chunks.',
  },
  fileTooLarge: {
    status: 413,
    code: 'FILE_TOO_LARGE',
    message:
      'A file sent in one request has to be smaller than 25 MiB. Send it in chunks: POST /api/public/files/session/start.',
  },
  quotaReached: {
    status: 507,
    code: 'PROJECT_STORAGE_FULL',
    message:
      'The files of a project may take {limit} bytes, and this one no longer fits. Have files deleted that are not needed.',
    example: { values: { limit: 1_073_741_824 } },
  },
});
