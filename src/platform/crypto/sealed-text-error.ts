import type { SealedColumn } from './sealed-column.js';

/**
 * A stored text that cannot be opened. The message is for the operator. A module catches the error, shows the record as
 * unreadable and goes on, because one damaged row must not make others unreadable.
 */
export class SealedTextError extends Error {}

export function unknownMasterKey({ table, column }: SealedColumn, id: string, number: number): SealedTextError {
  return new SealedTextError(
    `${table}.${column} of ${id} is sealed under master key ${number}, which SLIPWAY_MASTER_KEYS does not have. ` +
      'Add that key again and restart. Remove a key only when it seals no record any more.',
  );
}

export function doesNotOpen({ table, column }: SealedColumn, id: string, cause?: unknown): SealedTextError {
  return new SealedTextError(
    `${table}.${column} of ${id} cannot be opened: it was changed, it belongs to another record, or its master key has ` +
      'another value now. Restore the row or the key from a backup, or store the secret again.',
    { cause },
  );
}
