import type { SealedColumn } from './sealed-column.js';

/**
 * A stored text that cannot be opened. The message is for the operator. A module catches the error, shows the record as
 * unreadable and goes on, because one damaged row must not make others unreadable.
 */
export class SealedTextError extends Error {}

export function unknownMasterKey({ table, column }: SealedColumn, id: string, number: number): SealedTextError {
  return new SealedTextError(
    `${table}.${column} of ${id} is sealed under master key ${number}, which SLIPWAY_MASTER_KEYS does not have. ` +
      'Put that key back and start again; take a key away only when no record is left under it.',
  );
}

export function doesNotOpen({ table, column }: SealedColumn, id: string, cause?: unknown): SealedTextError {
  return new SealedTextError(
    `${table}.${column} of ${id} does not open: it was changed, it belongs to another record, or its master key has ` +
      'another value now. Put back the row or the key from a backup, or store the secret anew.',
    { cause },
  );
}
