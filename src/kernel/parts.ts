/** The driver of the database encodes this many characters in a moment. */
const PART_LENGTH = 1_048_576;

/**
 * Divides rows into the parts that a transaction writes one after another. Encoding many megabytes at once would keep all
 * others waiting.
 */
export function partsByLength<T>(rows: readonly T[], lengthOf: (row: T) => number): T[][] {
  const parts: T[][] = [];
  let room = 0;
  for (const row of rows) {
    if (room <= 0) {
      parts.push([]);
      room = PART_LENGTH;
    }
    parts.at(-1)!.push(row);
    room -= lengthOf(row);
  }
  return parts;
}
