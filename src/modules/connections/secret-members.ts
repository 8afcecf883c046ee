import { maskSecret } from '../../kernel/secret-mask.js';

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** Names of members whose texts are secrets: `API_KEY`, `x-auth-token`, `clientSecret`, …; not `max_tokens`. */
const SECRET_NAME =
  /(api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|subscription[-_ ]?key|secret|passw(or)?d|passphrase|credentials?|authorization|cookie|bearer|token)$/i;

/** The secrets of a configuration by where they stand in it, as JSON pointers without the first slash. */
export type Secrets = Record<string, string>;

export interface Separated {
  /** The configuration as it may be seen: every secret by its mask. */
  shown: JsonObject;
  secrets: Secrets;
}

/** Takes the secrets out of a configuration and leaves their masks in their places. */
export function separate(configuration: JsonObject): Separated {
  const secrets: Secrets = {};
  const shown = mapTexts(configuration, (text, pointer, isSecret) => {
    if (!isSecret || text === '') return text;
    secrets[pointer] = text;
    return maskSecret(text);
  });
  return { shown: shown as JsonObject, secrets };
}

/** The whole configuration again. */
export function reunite(shown: JsonObject, secrets: Secrets): JsonObject {
  return mapTexts(shown, (text, pointer) => secretAt(pointer, secrets) ?? text) as JsonObject;
}

/** Of what was sent, each text that is the mask of a secret as it is shown in the same place becomes that secret. */
export function keepMasked(sent: JsonObject, shown: JsonObject, secrets: Secrets): JsonObject {
  const shownTexts = new Map<string, string>();
  mapTexts(shown, (text, pointer) => {
    shownTexts.set(pointer, text);
    return text;
  });
  const keep = (text: string, pointer: string) => {
    return text === shownTexts.get(pointer) ? (secretAt(pointer, secrets) ?? text) : text;
  };
  return mapTexts(sent, keep) as JsonObject;
}

/** Whether a mask still stands where a secret would. */
export function hasMasks(fields: JsonObject, shown: JsonObject): boolean {
  const masks = separate(shown).secrets;
  return Object.entries(separate(fields).secrets).some(([pointer, text]) => text === masks[pointer]);
}

/** As `maskSecret` makes them, or as people write what they do not tell. */
const MASK = /^(\*+|..\*{8}.{4})$/s;

/** Where a mask stands that would be kept as if it were the secret. */
export function masksIn(fields: JsonObject): string[][] {
  const { secrets } = separate(fields);
  return Object.keys(secrets).flatMap((pointer) => (MASK.test(secrets[pointer]!) ? [toPath(pointer)] : []));
}

/** Members may have names that every object has something under. */
function secretAt(pointer: string, secrets: Secrets): string | undefined {
  return Object.hasOwn(secrets, pointer) ? secrets[pointer] : undefined;
}

type MapText = (text: string, pointer: string, isSecret: boolean) => string;

function mapTexts(value: Json, map: MapText, path: string[] = [], isSecret = false): Json {
  if (typeof value === 'string') return map(value, toPointer(path), isSecret);
  if (Array.isArray(value)) return value.map((item, at) => mapTexts(item, map, [...path, String(at)], isSecret));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const isSecretMember = isSecret || SECRET_NAME.test(name) || isNamedValue(name, value) || isHeaderValue(name, path);
    return [name, mapTexts(member, map, [...path, name], isSecretMember)] as const;
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
