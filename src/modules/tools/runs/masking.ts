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
  // In an address that is read as a form, an `&` of the secret separates two fields.
  const splitByFields = secret.split('&').map(form).join('&');
  return [
    ...[secret, encodeURI(secret), encodeURIComponent(secret), encodeURIComponent(secret).replaceAll('%20', '+')],
    ...[path, query, form(secret), splitByFields, JSON.stringify(secret).slice(1, -1)],
    secret.replace(/[&<>"']/g, (character) => HTML[character]!),
    ...[bytes.toString('base64'), bytes.toString('base64url')],
  ].filter((text) => text.length >= SHORTEST);
}
