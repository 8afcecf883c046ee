import { maskSecret } from '../../kernel/secret-mask.js';

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

const KEY =
  /(api|access|private|subscription|secret|signing|encryption|auth|app|consumer|client|master|shared|licen[cs]e)[-_ ]?keys?/;
const SECRET = /(secrets?|token|passw(or)?ds?)([-_ ]?(value|key|text))?/;
const OTHER = /passphrase|credentials?|authorization|cookie|bearer|pwd|(^|[-_. ])(auth|pass)/;

/** Names of members that are secrets: `API_KEY`, `x-auth-token`, `secretValue`, `pass`, …; not `max_tokens`, `bypass`. */
const SECRET_NAME = new RegExp(`(${KEY.source}|${SECRET.source}|${OTHER.source})$`, 'i');

/** What can be one. */
type Leaf = string | number;

/** The secrets of a configuration by where they stand in it, as JSON pointers without the first slash. */
export type Secrets = Record<string, Leaf>;

export interface Separated {
  /** The configuration as it may be seen: every secret by its mask. */
  shown: JsonObject;
  secrets: Secrets;
}

/** Takes the secrets out of a configuration and leaves their masks in their places. */
export function separate(configuration: JsonObject): Separated {
  const secrets: Secrets = {};
  const shown = mapLeaves(configuration, (leaf, pointer, isSecret) => {
    if (!isSecret || leaf === '') return leaf;
    secrets[pointer] = leaf;
    return maskSecret(String(leaf));
  });
  return { shown: shown as JsonObject, secrets };
}

/** The whole configuration again. */
export function reunite(shown: JsonObject, secrets: Secrets): JsonObject {
  return mapLeaves(shown, (leaf, pointer) => secretAt(pointer, secrets) ?? leaf) as JsonObject;
}

/** Of what was sent, each one that is the mask of a secret as it is shown in the same place becomes that secret. */
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

/** Whether a mask still stands where a secret would. */
export function hasMasks(fields: JsonObject, shown: JsonObject): boolean {
  const masks = separate(shown).secrets;
  return Object.entries(separate(fields).secrets).some(([pointer, leaf]) => leaf === masks[pointer]);
}

/** As `maskSecret` makes them, or as people write what they do not tell. */
const MASK = /^(\*+|..\*{8}.{4})$/s;

/** Where a mask stands that would be kept as if it were the secret. */
export function masksIn(fields: JsonObject): string[][] {
  const { secrets } = separate(fields);
  return Object.keys(secrets).flatMap((pointer) => (MASK.test(String(secrets[pointer])) ? [toPath(pointer)] : []));
}

/** Members may have names that every object has something under. */
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

/** `{"name": "apiKey", "value": …}`: variables are lists of such. */
function isNamedValue(member: string, holder: JsonObject): boolean {
  const name = holder.name ?? holder.key;
  return (member === 'value' || member === 'defaultValue') && typeof name === 'string' && SECRET_NAME.test(name);
}

/** Whatever a header is called: many vendors put their keys under names of their own. */
function isHeaderValue(member: string, path: string[]): boolean {
  return member === 'value' && path.length === 2 && path[0] === 'headers';
}

function toPath(pointer: string): string[] {
  return pointer.split('/').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function toPointer(path: string[]): string {
  return path.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
}
