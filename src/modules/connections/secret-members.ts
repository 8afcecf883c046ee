import { maskSecret } from '../../kernel/secret-mask.js';

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

const KEY =
  /(api|access|private|subscription|secret|signing|encryption|auth|app|consumer|client|master|shared|licen[cs]e)[-_ ]?keys?/;
const SECRET = /(secrets?|token|passw(or)?ds?)([-_ ]?(value|key|text))?/;
const OTHER = /passphrase|credentials?|authorization|cookie|bearer|pwd|(^|[-_. ])(auth|pass)/;

/**
 * The names of secret members, such as `API_KEY`, `x-auth-token`, `secretValue` and `pass`, but not `max_tokens` or
 * `bypass`.
 */
const SECRET_NAME = new RegExp(`(${KEY.source}|${SECRET.source}|${OTHER.source})$`, 'i');

/** A value that can be a secret. */
type Leaf = string | number;

/** The secrets of a configuration by their places in it, which are JSON pointers without the first slash. */
export type Secrets = Record<string, Leaf>;

export interface Separated {
  /** The configuration for display, with a mask for each secret. */
  shown: JsonObject;
  secrets: Secrets;
}

/**
 * Replaces the secrets of a configuration by masks, and returns them separately. Secret are the members that are declared
 * so, and those whose names say it.
 */
export function separate(configuration: JsonObject, declared: ReadonlySet<string>): Separated {
  const secrets: Secrets = {};
  const shown = mapLeaves(configuration, (leaf, pointer, hasSecretName) => {
    const isSecret = hasSecretName || declared.has(toPath(pointer)[0]!);
    if (!isSecret || leaf === '') return leaf;
    secrets[pointer] = leaf;
    return maskSecret(String(leaf));
  });
  return { shown: shown as JsonObject, secrets };
}

/** Puts the secrets back into their places. */
export function reunite(shown: JsonObject, secrets: Secrets): JsonObject {
  return mapLeaves(shown, (leaf, pointer) => secretAt(pointer, secrets) ?? leaf) as JsonObject;
}

/** Replaces each sent value that equals the mask shown in the same place by the secret behind it. */
export function keepMasked(sent: JsonObject, shown: JsonObject, secrets: Secrets): JsonObject {
  const shownLeaves = new Map<string, Leaf>();
  mapLeaves(shown, (leaf, pointer) => {
    shownLeaves.set(pointer, leaf);
    return leaf;
  });
  const keep = (leaf: Leaf, pointer: string) => {
    return leaf === shownLeaves.get(pointer) ? (secretAt(pointer, secrets) ?? leaf) : leaf;
  };
  return mapLeaves(sent, keep) as JsonObject;
}

/** Whether the fields still contain a shown mask in the place of a secret. */
export function hasMasks(fields: JsonObject, shown: JsonObject, declared: ReadonlySet<string>): boolean {
  const masks = separate(shown, declared).secrets;
  return Object.entries(separate(fields, declared).secrets).some(([pointer, leaf]) => leaf === masks[pointer]);
}

/** The form that `maskSecret` produces, or asterisks only, which people type in place of a secret. */
const MASK = /^(\*+|..\*{8}.{4})$/s;

/** Returns the places of masks that would be stored as if they were secrets. */
export function masksIn(fields: JsonObject, declared: ReadonlySet<string>): string[][] {
  const { secrets } = separate(fields, declared);
  return Object.keys(secrets).flatMap((pointer) => (MASK.test(String(secrets[pointer])) ? [toPath(pointer)] : []));
}

/** Checks own members only: a place may be called `constructor`, which every object has. */
function secretAt(pointer: string, secrets: Secrets): Leaf | undefined {
  return Object.hasOwn(secrets, pointer) ? secrets[pointer] : undefined;
}

type MapLeaf = (leaf: Leaf, pointer: string, isSecret: boolean) => Leaf;

function mapLeaves(value: Json, map: MapLeaf, path: string[] = [], isSecret = false): Json {
  if (typeof value === 'string' || typeof value === 'number') return map(value, toPointer(path), isSecret);
  if (Array.isArray(value)) return value.map((item, at) => mapLeaves(item, map, [...path, String(at)], isSecret));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const isSecretMember = isSecret || SECRET_NAME.test(name) || isNamedValue(name, value) || isHeaderValue(name, path);
    return [name, mapLeaves(member, map, [...path, name], isSecretMember)] as const;
  });
  return Object.fromEntries(members);
}

/** Variables are objects such as `{"name": "apiKey", "value": …}`, whose value is secret if the name is. */
function isNamedValue(member: string, object: JsonObject): boolean {
  const name = object.name ?? object.key;
  return (member === 'value' || member === 'defaultValue') && typeof name === 'string' && SECRET_NAME.test(name);
}

/** The value of every header counts as a secret, because vendors send keys in headers of any name. */
function isHeaderValue(member: string, path: string[]): boolean {
  return member === 'value' && path.length === 2 && path[0] === 'headers';
}

function toPath(pointer: string): string[] {
  return pointer.split('/').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function toPointer(path: string[]): string {
  return path.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
}
