/** A position in PostgreSQL's write-ahead log, such as `16/B374D848`. */
export type WalPosition = string;

export function later(one: WalPosition, other: WalPosition): WalPosition {
  return bytesOf(one) > bytesOf(other) ? one : other;
}

function bytesOf(position: WalPosition): bigint {
  const [segment, offset] = position.split('/');
  return (BigInt(`0x${segment!}`) << 32n) + BigInt(`0x${offset!}`);
}
