import { defineErrors, SlipwayError } from '../../kernel/errors.js';
import { databaseErrors } from '../database/database.errors.js';

export const storageErrors = defineErrors({
  unavailable: {
    status: 503,
    code: 'STORAGE_UNAVAILABLE',
    message: 'The storage of files does not answer. Send the request again after the seconds in Retry-After.',
    retryAfter: 5,
  },
});

const FULL = /^(ENOSPC|EDQUOT|QuotaExceeded|QuotaExceededException|XMinioStorageFull|InsufficientStorage)$/;

/** Translates an error of the storage into one for the client. */
export function fromStorageFault(cause: unknown): SlipwayError {
  if (cause instanceof SlipwayError) return cause;
  const { code = '', name = '' } = (cause ?? {}) as { code?: string; name?: string };
  return FULL.test(code) || FULL.test(name)
    ? databaseErrors.storageFull({ cause })
    : storageErrors.unavailable({ cause });
}
