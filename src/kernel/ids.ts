import { createHash } from 'node:crypto';
import { digestBase62, encodeBase62, randomBase62 } from './base62.js';
import { clock } from './clock.js';

/** Every kind of id and its prefix. A new resource is a new line here. */
export const ID_PREFIXES = {
  project: 'p-',
  app: 'aa-',
  environment: 'e-',
  scope: 'as-',
  apiKey: 'ak-',
  adminKey: 'dk-',
  connection: 'cn-',
  trace: 't-',
  observation: 'o-',
  request: 'tr-',
  job: 'j-',
  modelPrice: 'mp-',
  repricing: 'rp-',
  auditEntry: 'au-',
  file: 'f-',
  uploadSession: 'us-',
  storedObject: 'ob-',
  dockJob: 'ds-',
  tool: 'a-',
  callflow: 'cf-',
  toolExport: 'tool-ej-',
  toolVersion: 'tv-',
  model: 'cm-',
  modelDeployment: 'md-',
  modelReplica: 'mr-',
  agent: 'ag-',
  agentVersion: 'av-',
  authProfile: 'ap-',
  session: 's-',
  user: 'u-',
  run: 'r-',
  subscription: 'sub-',
  message: 'msg-',
  delivery: 'dl-',
  suspension: 'cb-',
  bot: 'st-',
  jwtClient: 'cs-',
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

/** The id of what others have named already: the same names, the same id. Such ids do not sort by time. */
export function idOfNames<K extends IdKind>(kind: K, ...names: string[]): Id<K> {
  const digest = createHash('sha256').update(JSON.stringify(names)).digest();
  return `${ID_PREFIXES[kind]}${digestBase62(digest, TIME_DIGITS + RANDOM_DIGITS)}`;
}

export function isId<K extends IdKind>(kind: K, text: string): text is Id<K> {
  const prefix = ID_PREFIXES[kind];
  return text.startsWith(prefix) && SUFFIX.test(text.slice(prefix.length));
}

export function isAnyId(text: string): boolean {
  return Object.keys(ID_PREFIXES).some((kind) => isId(kind as IdKind, text));
}

/** An ill-formed id becomes one that nothing has: it is looked up and not found. */
export function toId<K extends IdKind>(kind: K, text: string): Id<K> {
  return isId(kind, text) ? text : `${ID_PREFIXES[kind]}${'0'.repeat(TIME_DIGITS + RANDOM_DIGITS)}`;
}

export function idPattern(kind: IdKind): string {
  return `^${ID_PREFIXES[kind]}[0-9A-Za-z]{${TIME_DIGITS + RANDOM_DIGITS}}$`;
}

/** A well-formed id that always reads the same, for documentation. */
export function exampleId<K extends IdKind>(kind: K): Id<K> {
  return `${ID_PREFIXES[kind]}0VJ8kQ2xT4bN7mRw1ZcYp3`;
}
