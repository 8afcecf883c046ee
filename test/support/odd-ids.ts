import { randomBase62 } from '../../src/kernel/base62.js';
import { isAnyId } from '../../src/kernel/ids.js';

/** Returns an id that is as well-formed as the given one and belongs to nothing. */
export function unknownOf(value: string): string {
  return isAnyId(value) ? prefixOf(value) + randomBase62(22) : 'nowhere';
}

/** Values that people and attackers write in the place of an id. */
export function illFormed(value: string): string[] {
  const general = [
    'x',
    '-',
    '0',
    'null',
    '__proto__',
    'constructor',
    ' ',
    'a/b',
    "' or 1=1 --",
    '\0',
    '\u{1F4A5}',
    '%',
    '*',
    'x'.repeat(5000),
  ];
  if (!isAnyId(value)) return [...general, `${value}x`];
  const prefix = prefixOf(value);
  return [
    ...general,
    prefix,
    `${value}x`,
    value.slice(0, -1),
    ` ${value}`,
    `${value}\n`,
    `${value}.`,
    value.slice(prefix.length),
  ];
}

function prefixOf(id: string): string {
  return id.slice(0, id.lastIndexOf('-') + 1);
}
