import { randomBase62 } from '../../src/kernel/base62.js';

const ID = /^([a-z-]+-)[0-9A-Za-z]{22}$/;

/** As well-formed as the given value, and nobody's. */
export function unknownOf(value: string): string {
  const prefix = ID.exec(value)?.[1];
  return prefix ? prefix + randomBase62(22) : 'nowhere';
}

/** What people and attackers put where an id belongs. */
export function illFormed(value: string): string[] {
  const prefix = ID.exec(value)?.[1];
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
  if (!prefix) return [...general, `${value}x`];
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
