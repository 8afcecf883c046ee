import { maskSecret } from '../../../kernel/secret-mask.js';
import { TextReplacer } from './text-replacer.js';

/** Shorter ones stand in too many texts that are none. */
const SHORTEST = 4;
const SECRET_HEADERS = /^(authorization|proxy-authorization|cookie|set-cookie|x-api-key|apikey)$/i;

/** Secrets that have more characters together are prepared in a thread: it takes them a moment. */
const LIGHT = 2_048;

/** Takes secrets out of what people see. */
export class Mask {
  readonly secrets: string[] = [];
  private replacer: TextReplacer | undefined;
  private characters = 0;

  constructor(secrets: readonly string[]) {
    for (const secret of secrets) this.add(secret);
  }

  add(secret: string): void {
    if (secret.length < SHORTEST) return;
    this.secrets.push(secret);
    this.characters += secret.length;
    this.replacer = undefined;
  }

  get isLight(): boolean {
    return this.characters <= LIGHT;
  }

  /** The same value, where nothing in it is secret. */
  of(value: unknown): unknown {
    if (typeof value === 'string') return this.ofText(value);
    if (typeof value !== 'object' || value === null) return value;
    let isSame = true;
    const members = Object.entries(value).map(([name, member]) => {
      const isHidden = typeof member === 'string' && SECRET_HEADERS.test(name) && !Array.isArray(value);
      const masked = isHidden ? maskSecret(member) : this.of(member);
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

  /** As each secret is spelled, and its mask. */
  private spellings(): Map<string, string> {
    return new Map(
      this.secrets.flatMap((secret) => spellingsOf(secret).map((text) => [text, maskSecret(secret)] as const)),
    );
  }
}

const HTML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' };

/** As it stands in texts that are made of it: in addresses, forms, JSON, HTML and headers. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const address = new URL('http://host');
  address.pathname = secret;
  const path = address.pathname.slice(1);
  address.search = secret;
  const query = address.search.slice(1);
  const form = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  // Its own & parts it where it stands in an address as it is.
  const parted = secret.split('&').map(form).join('&');
  return [
    ...[secret, encodeURI(secret), encodeURIComponent(secret), encodeURIComponent(secret).replaceAll('%20', '+')],
    ...[path, query, form(secret), parted, JSON.stringify(secret).slice(1, -1)],
    secret.replace(/[&<>"']/g, (character) => HTML[character]!),
    ...[bytes.toString('base64'), bytes.toString('base64url')],
  ].filter((text) => text.length >= SHORTEST);
}
