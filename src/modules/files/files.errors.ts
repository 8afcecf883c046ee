import { defineErrors } from '../../kernel/errors.js';

export const filesErrors = defineErrors({
  unsupportedType: {
    status: 400,
    code: 'UNSUPPORTED_FILE_TYPE',
    message: 'Files with the extension .{extension} are not accepted for {context}. Accepted extensions: {taken}.',
    example: { values: { extension: 'exe', context: 'chat', taken: 'm4a, mp3, webm, mp4' } },
  },
  contentMismatch: {
    status: 400,
    code: 'FILE_CONTENT_MISMATCH',
    message: 'The content does not match the extension .{extension}. Give the file the extension of its real type.',
    example: { values: { extension: 'png' } },
  },
  chunkNumberInvalid: {
    status: 400,
    code: 'CHUNK_NUMBER_INVALID',
    message:
      'The chunks of this upload are numbered either from 0 to {last} or from 1 to {total}, in the same way throughout: {reason}.',
    example: { values: { reason: 'the number is outside of both ranges', last: 9, total: 10 } },
  },
  chunkDigestMismatch: {
    status: 400,
    code: 'CHUNK_DIGEST_MISMATCH',
    message: 'The bytes of the chunk that arrived do not match its Content-Digest. Send the chunk again.',
  },
  linkInvalid: {
    status: 403,
    code: 'LINK_INVALID',
    message:
      'This link was not made by this service, or was changed. GET /api/public/files/{fileId} answers a valid one.',
    example: { values: { fileId: 'f-0VJ8kQ2xT4bN7mRw1ZcYp3' } },
  },
  linkExpired: {
    status: 403,
    code: 'LINK_EXPIRED',
    message: 'This link has expired. GET /api/public/files/{fileId} answers a new one.',
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
    message: 'The project has no such upload. It may have been abandoned or have expired; start another one.',
  },
  chunksMissing: {
    status: 409,
    code: 'CHUNKS_MISSING',
    message:
      'Not all chunks have arrived; `details.missingChunks` lists the missing ones. Send them, then complete the upload again.',
    example: { details: { missingChunks: [3, 7] } },
  },
  sizeMismatch: {
    status: 409,
    code: 'FILE_SIZE_MISMATCH',
    message:
      'The chunks have {received} bytes in all, but {declared} were declared. Send the incomplete chunks again, or start another upload with the right size.',
    example: { values: { received: 41_943_040, declared: 52_428_800 } },
  },
  uploadCompleted: {
    status: 409,
    code: 'UPLOAD_COMPLETED',
    message: 'This upload is complete, and its file can no longer change. Start another upload for another file.',
  },
  takesNoChunks: {
    status: 409,
    code: 'UPLOAD_TAKES_NO_CHUNKS',
    message:
      'This upload was created over tus, so its bytes arrive in order, and the last one completes it. It has {offset} of them; send those that follow with PATCH /api/public/files/tus/{sessionId}.',
    example: { values: { sessionId: 'us-0VJ8kQ2xT4bN7mRw1ZcYp3', offset: 26_214_400 } },
  },
  uploadExpired: {
    status: 410,
    code: 'UPLOAD_EXPIRED',
    message: 'This upload was not completed in time, and its chunks were deleted. Start another one.',
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
      'A file that is sent in one request has to be smaller than 25 MiB. Send it in chunks: POST /api/public/files/session/start.',
  },
  quotaReached: {
    status: 507,
    code: 'PROJECT_STORAGE_FULL',
    message:
      'The files of a project may have {limit} bytes in all, and this one no longer fits. Ask an administrator to delete files that are not needed.',
    example: { values: { limit: 1_073_741_824 } },
  },
});
