import type { ByteRange } from '../storage/storage.js';

const RANGE = /^bytes=(\d*)-(\d*)$/;

/**
 * Returns the part that a `Range` header asks for, or null if there is no such part. RFC 9110, 14.2, allows to ignore
 * several ranges at once and other units than bytes; the answer is then the whole content.
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
