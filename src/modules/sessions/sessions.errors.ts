import { defineErrors } from '../../kernel/errors.js';

export const sessionsErrors = defineErrors({
  sessionNotFound: {
    status: 404,
    code: 'SESSION_NOT_FOUND',
    message: 'There is no such session here. POST on sessions/list of the app lists those it has.',
  },
  sessionTerminated: {
    status: 409,
    code: 'SESSION_TERMINATED',
    message: 'This session has ended. Create another one; its reference may be the same.',
  },
  identityConflict: {
    status: 409,
    code: 'SESSION_IDENTITY_CONFLICT',
    message: 'The entries of sessionIdentity name different sessions. Send those of one session.',
  },
  ownerMismatch: {
    status: 403,
    code: 'SESSION_OWNER_MISMATCH',
    message: 'The session belongs to another user than userReference names. Send the one it was created with.',
  },
  userNotFound: {
    status: 404,
    code: 'USER_NOT_FOUND',
    message:
      'The app has no such user, and none of that id was erased. Users are listed beside it, by their references.',
  },
  erasureNotFound: {
    status: 404,
    code: 'ERASURE_NOT_FOUND',
    message: 'Nobody has asked to erase this user. POST on the same path does.',
  },
  attachmentRejected: {
    status: 400,
    code: 'ATTACHMENT_REJECTED',
    message:
      'The file is not taken for the session: {reason}. What is taken stands in fileUploadConfig and allowedMimeTypes.',
    example: { values: { reason: 'its type exe is none of those allowed' } },
  },
});
