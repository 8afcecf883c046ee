/**
 * Microseconds since 1970; NaN if the sender gave no time. The database keeps microseconds, which also order spans that
 * begin within one millisecond. The nanoseconds of OTLP do not fit into a number exactly.
 */
export type Microseconds = number;

export function fromNanoseconds(nanoseconds: string | number | null | undefined): Microseconds {
  return Math.floor(Number(nanoseconds ?? Number.NaN) / 1_000);
}

export function millisecondsBetween(from: Microseconds, to: Microseconds): number {
  return (to - from) / 1_000;
}

export function toMilliseconds(time: Microseconds): number {
  return time / 1_000;
}

/** Formats a time as RFC 3339. */
export function toText(time: Microseconds): string {
  const text = new Date(Math.floor(toMilliseconds(time))).toISOString();
  return `${text.slice(0, -1)}${String(time % 1_000).padStart(3, '0')}Z`;
}
