import { maskSecret } from '../../../kernel/secret-mask.js';
import { TextReplacer } from './text-replacer.js';

/** Shorter secrets are not masked, because they occur by chance in too many texts. */
const SHORTEST = 4;
const SECRET_HEADERS = /^(authorization|proxy-authorization|cookie|set-cookie|x-api-key|apikey)$/i;

/** The limit of all secrets in characters, up to which masking is fast enough for the event loop. */
const LIGHT = 2_048;

/** Replaces secrets in what people see by their masks. `hidesHeaders` is whether headers with logins are secrets, too. */
export class Mask {
  readonly secrets: string[] = [];
  private replacer: TextReplacer | undefined;
  private characters = 0;

  constructor(
    secrets: readonly string[],
    readonly hidesHeaders = true,
  ) {
    for (const secret of secrets) this.add(secret);
  }

  add(secret: string): void {
    if (secret.length < SHORTEST || this.secrets.includes(secret)) return;
    this.secrets.push(secret);
    this.characters += secret.length;
    this.replacer = undefined;
  }

  get isLight(): boolean {
    return this.characters <= LIGHT;
  }

  /** Returns the value with its secrets masked, or the same object if it contains none. */
  of(value: unknown): unknown {
    if (typeof value === 'string') return this.ofText(value);
    if (typeof value !== 'object' || value === null) return value;
    let isSame = true;
    const members = Object.entries(value).map(([name, member]) => {
      const isHeader = this.hidesHeaders && SECRET_HEADERS.test(name) && !Array.isArray(value);
      const masked = isHeader && typeof member === 'string' ? maskSecret(member) : this.of(member);
      const maskedName = Array.isArray(value) ? name : this.ofText(name);
      isSame &&= masked === member && maskedName === name;
      return [maskedName, masked] as const;
    });
    if (isSame) return value;
    return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
  }

  ofText(text: string): string {
    if (this.secrets.length === 0) return text;
    this.replacer ??= new TextReplacer(this.spellings());
    return this.replacer.in(text);
  }

  /** Returns the mask for each spelling of each secret. */
  private spellings(): Map<string, string> {
    return new Map(
      this.secrets.flatMap((secret) => spellingsOf(secret).map((text) => [text, maskSecret(secret)] as const)),
    );
  }
}

const HTML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' };

/** Returns the forms in which a secret occurs in addresses, forms, JSON, HTML and headers. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const address = new URL('http://host');
  address.pathname = secret;
  const path = address.pathname.slice(1);
  address.search = secret;
  const query = address.search.slice(1);
  const form = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  const component = encodeURIComponent(secret);
  const strict = component.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  // In an address that is read as a form, an `&` of the secret separates two fields.
  const splitByFields = secret.split('&').map(form).join('&');
  const spellings = [
    ...[secret, encodeURI(secret), component, component.replaceAll('%20', '+'), strict],
    ...[path, query, form(secret), splitByFields, JSON.stringify(secret).slice(1, -1)],
    secret.replace(/[&<>"']/g, (character) => HTML[character]!),
    ...base64Of(bytes),
  ];
  const all = spellings.flatMap((text) => [text, withSmallHex(text)]).filter((text) => text.length >= SHORTEST);
  return [...new Set(all)];
}

/**
 * Returns the base64 of a secret in both alphabets, also in addresses. Within a longer text, such as a file that is
 * repeated as base64, a secret begins at any of three places in a group of characters. Of those spellings, the
 * characters are left out that the text before and after it decides, too.
 */
function base64Of(bytes: Buffer): string[] {
  const whole = bytes.toString('base64');
  const parts = [0, 1, 2].map((before) => {
    const shifted = Buffer.concat([Buffer.alloc(before), bytes]);
    const end = Math.floor((shifted.length * 8) / 6);
    return shifted.toString('base64').slice(Math.ceil((before * 8) / 6), end);
  });
  const standard = [whole, whole.replace(/=+$/, ''), ...parts];
  return [...standard, ...standard.map(encodeURIComponent), ...standard.map(toUrlAlphabet)];
}

function toUrlAlphabet(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}

/** Percent-encoding may have small letters. */
function withSmallHex(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}
