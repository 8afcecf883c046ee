import { encodeBase62, randomBase62 } from './base62.js';
import { clock } from './clock.js';

/** Every kind of id and its prefix. A new resource is a new line here. */
export const ID_PREFIXES = {
  project: 'p-',
  app: 'aa-',
  environment: 'e-',
  scope: 'as-',
  apiKey: 'ak-',
  adminKey: 'dk-',
  request: 'tr-',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;
export type Id<K extends IdKind> = `${(typeof ID_PREFIXES)[K]}${string}`;

const TIME_DIGITS = 8;
const RANDOM_DIGITS = 14;
const SUFFIX = new RegExp(`^[0-9A-Za-z]{${TIME_DIGITS + RANDOM_DIGITS}}$`);

/** Prefix, the time in milliseconds, 83 random bits: ids of one kind sort by when they were made. */
export function newId<K extends IdKind>(kind: K): Id<K> {
  const time = encodeBase62(clock.now().getTime(), TIME_DIGITS);
  return `${ID_PREFIXES[kind]}${time}${randomBase62(RANDOM_DIGITS)}`;
}

/** An ill-formed id is an id that does not exist: ask this before asking the database. */
export function isId<K extends IdKind>(kind: K, value: string): value is Id<K> {
  const prefix = ID_PREFIXES[kind];
  return value.startsWith(prefix) && SUFFIX.test(value.slice(prefix.length));
}

export function idPattern(kind: IdKind): string {
  return `^${ID_PREFIXES[kind]}[0-9A-Za-z]{${TIME_DIGITS + RANDOM_DIGITS}}$`;
}

/** A well-formed id that always reads the same, for documentation. */
export function exampleId<K extends IdKind>(kind: K): Id<K> {
  return `${ID_PREFIXES[kind]}0VJ8kQ2xT4bN7mRw1ZcYp3`;
}
