import { ForeignKeyConstraintViolationException } from '@mikro-orm/postgresql';
import { defineErrors, errorCatalogue, SlipwayError } from '../../kernel/errors.js';

export const databaseErrors = defineErrors({
  valueRefused: {
    status: 400,
    code: 'VALUE_REFUSED',
    message: 'A value cannot be stored as it is: out of range or not representable. Check numbers and dates.',
  },
  conflict: {
    status: 503,
    code: 'BUSY',
    message: 'Other requests changed the same thing at this moment. Nothing was changed; send the request again.',
    retryAfter: 1,
  },
  unavailable: {
    status: 503,
    code: 'DATABASE_UNAVAILABLE',
    message: 'The database does not answer. Send the request again after the seconds in Retry-After.',
    retryAfter: 2,
  },
  storageFull: {
    status: 507,
    code: 'STORAGE_FULL',
    message: 'There is no room to store this. Whoever runs this service has to make room first.',
  },
});

/** Lost connections as Node and the driver name them; those of the server have an SQLSTATE. */
const LOST_CONNECTION =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$|timeout exceeded when trying to connect|Query read timeout|Connection terminated|is not queryable|timeout expired/;

/** Whether the connection on which it was seen is of no use any more. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '' } = error as { code?: string };
  return /^(08...|57P..)$/.test(code) || LOST_CONNECTION.test(code) || LOST_CONNECTION.test(error.message);
}

/** Whether another transaction had what it wanted, for longer than it waits. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}

/** What a fault of the database means to the client, or nothing when it is a fault of ours. */
export function fromDatabaseFault(error: unknown): SlipwayError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', constraint } = error as { code?: string; constraint?: string };
  const cause = error;
  if (code === '23505') return duplicateOf(constraint, cause) ?? databaseErrors.conflict({ cause });
  if (/^22...$/.test(code)) return databaseErrors.valueRefused({ cause });
  if (/^(23503|40001|40P01|55P03)$/.test(code)) return databaseErrors.conflict({ cause });
  if (/^(53100|53200)$/.test(code)) return databaseErrors.storageFull({ cause });
  if (/^(53...|57014)$/.test(code) || isLostConnection(error)) return databaseErrors.unavailable({ cause });
  return undefined;
}

/** Left to the database, since what one belongs to the other may go, or come, at this moment. */
export function onForeignKey(refusal: () => SlipwayError) {
  return (error: unknown): never => {
    throw error instanceof ForeignKeyConstraintViolationException ? refusal() : error;
  };
}

/** By the name of what has to be unique; without one, two have made the same thing at the same moment. */
function duplicateOf(constraint: string | undefined, cause: Error): SlipwayError | undefined {
  const spec = errorCatalogue().find(({ unique }) => unique !== undefined && unique === constraint);
  return spec && new SlipwayError(spec, spec.message, { cause });
}
