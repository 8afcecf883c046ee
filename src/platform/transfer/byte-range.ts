import type { ByteRange } from '../storage/storage.js';

const RANGE = /^bytes=(\d*)-(\d*)$/;

/**
 * The part that a `Range` header asks for; null where there is no such part. Several at once are allowed to be ignored
 * (RFC 9110, 14.2), as is whatever is no range of bytes: the answer is then the whole.
 */
export function rangeIn(header: string | undefined, size: number): ByteRange | null | 'whole' {
  const [, first = '', last = ''] = RANGE.exec(header ?? '') ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '')
    return size === 0 || Number(last) === 0 ? null : { start: Math.max(0, size - Number(last)), end: size - 1 };
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return 'whole';
  return start < size ? { start, end } : null;
}
