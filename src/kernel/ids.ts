import { hash } from 'node:crypto';
import { decodeBase62, encodeBase62, hexToBase62, randomBase62 } from './base62.js';
import { clock } from './clock.js';
import type { PluginIds } from './plugin-types.js';
import { StartError } from './start-error.js';

/** Every kind of id and its prefix. A new resource is a new line here. */
export const ID_PREFIXES = {
  project: 'p-',
  app: 'aa-',
  environment: 'e-',
  scope: 'as-',
  apiKey: 'ak-',
  adminKey: 'dk-',
  consoleSession: 'co-',
  connection: 'cn-',
  mcpConnection: 'mc-',
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

/** Kinds of ids with the same prefix. Only the compiler distinguishes the run of an agent from the run of a tool. */
const SHARED_PREFIXES = { agentRun: ID_PREFIXES.run, toolRun: ID_PREFIXES.run } as const;

type Prefixes = typeof ID_PREFIXES & typeof SHARED_PREFIXES & PluginIds;
const PREFIXES: Record<string, string> & Prefixes = { ...ID_PREFIXES, ...SHARED_PREFIXES };

type SharedKind = keyof typeof SHARED_PREFIXES;
export type IdKind = Exclude<keyof Prefixes, 'run'>;
export type Id<K extends IdKind> = `${Prefixes[K] & string}${string}` & KnownAs<K>;

declare const knownAs: unique symbol;
type KnownAs<K extends IdKind> = K extends SharedKind ? { readonly [knownAs]: K } : unknown;

/** All kinds, with those that share a prefix. */
export function idKinds(): string[] {
  return Object.keys(PREFIXES);
}

/** Adds the kinds of a plugin. They are checked before, and added before any module is loaded. */
export function addIdKinds(kinds: Record<string, string>): void {
  Object.assign(PREFIXES, kinds);
}

const TIME_DIGITS = 8;
const RANDOM_DIGITS = 14;
const SUFFIX = new RegExp(`^[0-9A-Za-z]{${TIME_DIGITS + RANDOM_DIGITS}}$`);

/**
 * Makes an id of the prefix, the time in milliseconds and 83 random bits. Ids of one kind sort by the time at which
 * they were made.
 */
export function newId<K extends IdKind>(kind: K): Id<K> {
  const time = encodeBase62(clock.now().getTime(), TIME_DIGITS);
  return `${prefixOf(kind)}${time}${randomBase62(RANDOM_DIGITS)}` as Id<K>;
}

/**
 * Returns the time at which an id was made, to the millisecond. For an id that was made from names, the result has no
 * meaning.
 */
export function timeOfId(id: string): Date {
  const suffix = id.slice(-TIME_DIGITS - RANDOM_DIGITS);
  return new Date(decodeBase62(suffix.slice(0, TIME_DIGITS)));
}

/** Makes an id from names that others have given. The same names have the same id. Such ids do not sort by time. */
export function idOfNames<K extends IdKind>(kind: K, ...names: string[]): Id<K> {
  const digest = hash('sha256', JSON.stringify(names), 'hex');
  return `${prefixOf(kind)}${hexToBase62(digest, TIME_DIGITS + RANDOM_DIGITS)}` as Id<K>;
}

export function isId<K extends IdKind>(kind: K, text: string): text is Id<K> {
  const prefix = prefixOf(kind);
  return text.startsWith(prefix) && SUFFIX.test(text.slice(prefix.length));
}

/**
 * Throws for a kind that the compiler does not know, such as a misspelt one in the JavaScript of a plugin. Without this,
 * not the start but the first request or job would fail.
 */
export function refuseUnknownKind(kind: IdKind): void {
  if (!Object.hasOwn(PREFIXES, kind))
    throw new StartError(
      `There is no kind of ids ${kind}. A plugin names its kinds in \`ids\`, and they are known when its modules are loaded.`,
    );
}

export function prefixOf(kind: IdKind): string {
  refuseUnknownKind(kind);
  return PREFIXES[kind];
}

export function isAnyId(text: string): boolean {
  return Object.keys(PREFIXES).some((kind) => isId(kind as IdKind, text));
}

/** Turns an ill-formed id into one that no row has, so that it is looked up and not found. */
export function toId<K extends IdKind>(kind: K, text: string): Id<K> {
  return isId(kind, text) ? text : (`${prefixOf(kind)}${'0'.repeat(TIME_DIGITS + RANDOM_DIGITS)}` as Id<K>);
}

export function idPattern(kind: IdKind): string {
  return `^${prefixOf(kind)}[0-9A-Za-z]{${TIME_DIGITS + RANDOM_DIGITS}}$`;
}

/** A well-formed id for documentation, which is always the same. */
export function exampleId<K extends IdKind>(kind: K): Id<K> {
  return `${prefixOf(kind)}0VJ8kQ2xT4bN7mRw1ZcYp3` as Id<K>;
}
