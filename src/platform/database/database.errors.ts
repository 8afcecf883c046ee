import { ForeignKeyConstraintViolationException } from '@mikro-orm/postgresql';
import { defineErrors, errorCatalogue, SlipwayError } from '../../kernel/errors.js';

export const databaseErrors = defineErrors({
  valueRefused: {
    status: 400,
    code: 'VALUE_REFUSED',
    message: 'A value is out of range or cannot be represented, so it cannot be stored. Check numbers and dates.',
  },
  conflict: {
    status: 503,
    code: 'BUSY',
    message: 'Other requests changed the same rows at the same time. Nothing was changed; send the request again.',
    retryAfter: 1,
  },
  unavailable: {
    status: 503,
    code: 'DATABASE_UNAVAILABLE',
    message: 'The database does not answer. Send the request again after the seconds in Retry-After.',
    retryAfter: 2,
  },
  poolFull: {
    status: 503,
    code: 'DATABASE_POOL_FULL',
    message:
      'All connections to the database are in use. Send the request again after the seconds in Retry-After. If this continues, ask the administrator to raise DATABASE_POOL or to add processes.',
    retryAfter: 1,
  },
  storageFull: {
    status: 507,
    code: 'STORAGE_FULL',
    message: 'There is no room to store this. The administrator of the service has to free space first.',
  },
});

/** Lost connections as Node and the driver report them. Those that the server reports have an SQLSTATE. */
const LOST_CONNECTION =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$|timeout exceeded when trying to connect|Query read timeout|Connection terminated|is not queryable|timeout expired/;

/** Citus begins its message with this if the coordinator cannot reach a worker. */
const OF_WORKER = 'connection to the remote node';

/** The message for requests that need a worker of a Citus cluster. */
const WORKER_IS_AWAY =
  'One of the databases that have the ledger does not answer. Send the request again after the seconds in Retry-After. Projects whose ledger is on another one go on.';

/** The driver's message if no connection of the pool became free in time. */
const POOL_IS_FULL = 'timeout exceeded when trying to connect';

const OF_DATABASE = 'isOfDatabase';
const OF_OUTAGE = 'isOfOutage';

/**
 * Marks an error of the database, so that its lost connections are not taken for those of a provider or a receiver. The
 * ORM copies the mark to the error that it makes of this one.
 */
export function markAsOfDatabase(error: unknown): void {
  if (error instanceof Error) Object.defineProperty(error, OF_DATABASE, { value: true, configurable: true });
}

/**
 * Returns the error, and counts it as an outage if the time limit of statements caused it. This is for a statement that
 * is quick unless its database hangs, such as on a worker of Citus whose network drops all packets.
 */
export function asOutageIfTooLate(error: unknown): unknown {
  for (let at = error; at instanceof Error; at = at.cause) {
    const isTooLate = OF_DATABASE in at && 'code' in at && at.code === '57014';
    if (isTooLate) Object.defineProperty(at, OF_OUTAGE, { value: true, configurable: true });
  }
  return error;
}

/** The driver's error, for a request whose project already uses its share of the connections. */
export class PoolIsFull extends Error {
  constructor() {
    super(POOL_IS_FULL);
    markAsOfDatabase(this);
  }
}

/**
 * Whether the error says that the database is away or has no room. The failed work is not the cause: it may succeed
 * once the outage is over.
 */
export function isOutage(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code = '' } = at as { code?: string };
    if (OF_OUTAGE in at || (OF_DATABASE in at && (isLostConnection(at) || code.startsWith('53')))) return true;
  }
  return false;
}

/** Whether the error shows that its connection is of no use any more. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '' } = error as { code?: string };
  return /^(08...|57P..|25P03)$/.test(code) || LOST_CONNECTION.test(code) || LOST_CONNECTION.test(error.message);
}

/** Whether the error shows that the lock timeout ended a wait for another transaction. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}

/**
 * Translates an error of the database into one for the client, or returns undefined if it is an error of the program.
 */
export function fromDatabaseFault(error: unknown): SlipwayError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', constraint } = error as { code?: string; constraint?: string };
  const cause = error;
  if (code === '23505') return duplicateOf(constraint, cause) ?? databaseErrors.conflict({ cause });
  if (/^22...$/.test(code)) return databaseErrors.valueRefused({ cause });
  if (/^(23503|40001|40P01|55P03)$/.test(code)) return databaseErrors.conflict({ cause });
  if (/^(53100|53200)$/.test(code)) return databaseErrors.storageFull({ cause });
  if (error.message === POOL_IS_FULL) return databaseErrors.poolFull({ cause });
  if (error.message.startsWith(OF_WORKER))
    return new SlipwayError(databaseErrors.unavailable.spec, WORKER_IS_AWAY, { cause });
  if (/^(53...|57014)$/.test(code) || isLostConnection(error)) return databaseErrors.unavailable({ cause });
  return undefined;
}

/**
 * Turns the violation of a foreign key into a refusal. The database checks it, because the row that is referred to may
 * be deleted or created at this moment.
 */
export function onForeignKey(refusal: () => SlipwayError) {
  return (error: unknown): never => {
    throw error instanceof ForeignKeyConstraintViolationException ? refusal() : error;
  };
}

/**
 * Finds the error by the violated constraint. If no error names the constraint, two requests have made the same thing
 * at the same moment.
 */
function duplicateOf(constraint: string | undefined, cause: Error): SlipwayError | undefined {
  const spec = errorCatalogue().find(({ unique }) => unique !== undefined && unique === constraint);
  return spec && new SlipwayError(spec, spec.message, { cause });
}
