import { defineErrors } from '../../kernel/errors.js';

export const sessionsErrors = defineErrors({
  sessionNotFound: {
    status: 404,
    code: 'SESSION_NOT_FOUND',
    message: 'There is no such session here. POST on sessions/list of the app lists its sessions.',
  },
  sessionTerminated: {
    status: 409,
    code: 'SESSION_TERMINATED',
    message: 'This session has ended. Create another one, which may have the same reference.',
  },
  identityConflict: {
    status: 409,
    code: 'SESSION_IDENTITY_CONFLICT',
    message: 'The entries of sessionIdentity name different sessions. Send the entries of one session.',
  },
  ownerMismatch: {
    status: 403,
    code: 'SESSION_OWNER_MISMATCH',
    message:
      'The session belongs to another user than the one of userReference. Send the userReference with which it was created.',
  },
  userNotFound: {
    status: 404,
    code: 'USER_NOT_FOUND',
    message:
      'The app has no such user, and no user with this id was erased. The list of the app’s users has the ids and references.',
  },
  erasureNotFound: {
    status: 404,
    code: 'ERASURE_NOT_FOUND',
    message: 'No erasure of this user was requested. POST on the same path requests one.',
  },
  attachmentRejected: {
    status: 400,
    code: 'ATTACHMENT_REJECTED',
    message:
      'The session does not accept this file: {reason}. fileUploadConfig and allowedMimeTypes list what it accepts.',
    example: { values: { reason: 'its type exe is not allowed' } },
  },
});
