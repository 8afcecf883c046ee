/** A position in PostgreSQL's write-ahead log with all its digits, so that a later one is the greater text. */
export type WalPosition = string;

/** Turns what PostgreSQL writes, such as `16/B374D848`, into `00000016/B374D848`, which it reads too. */
export function withAllDigits(position: string): WalPosition {
  return position
    .split('/')
    .map((half) => half.padStart(8, '0'))
    .join('/');
}

export function later(one: WalPosition, other: WalPosition): WalPosition {
  return one > other ? one : other;
}
