import { isIP } from 'node:net';
import { portOf } from '../../kernel/endpoint.js';
import type { AddressRules } from './address-rules.js';

/** Browsers drop these from addresses; here they mean that something else is meant than is seen. */
const UNSEEN = /[\s\p{Cc}\\]/u;

/**
 * Why no request may go there, as far as that can be told without asking a name server; nothing when one may.
 * The parser makes every spelling of a literal address (decimal, octal, hexadecimal, short, full-width) the usual one.
 */
export function refusalOf(text: string, rules: AddressRules): string | undefined {
  if (UNSEEN.test(text) || !URL.canParse(text)) return 'is no address';
  const { protocol, username, password, hostname, port } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'begins with neither https:// nor http://';
  if (username !== '' || password !== '') return 'has a user name or password in it, which others could read';
  const host = hostOf(hostname);
  if (host === '') return 'names no host';
  const literal = literalOf(host);
  if (literal !== undefined && !rules.allows(literal, portOf({ protocol, port })))
    return 'leads into a network that is closed to requests';
  return undefined;
}

/** Whether it names its host by an address, or as this machine, that the operator opened. */
export function isOpened(text: string, rules: AddressRules): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const literal = literalOf(hostOf(url.hostname));
  return literal !== undefined && rules.opens(literal, portOf(url));
}

/** Without brackets and the dot at the end. */
export function hostOf(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
}

/** The address that a host is, without asking anybody. */
function literalOf(host: string): string | undefined {
  if (isIP(host) !== 0) return host;
  return /(^|\.)localhost$/i.test(host) ? '127.0.0.1' : undefined;
}
