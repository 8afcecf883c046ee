import { isIP } from 'node:net';
import { portOf } from '../../kernel/endpoint.js';
import type { AddressRules } from './address-rules.js';

/** Characters that browsers drop from addresses. Here they hide the address that is really meant. */
const UNSEEN = /[\s\p{Cc}\\]/u;

/**
 * Returns why no request may go to this address, as far as that can be known without a name server, or undefined. The
 * parser turns every spelling of a literal address (decimal, octal, hexadecimal, short, full-width) into the usual one.
 */
export function refusalOf(text: string, rules: AddressRules): string | undefined {
  if (UNSEEN.test(text) || !URL.canParse(text)) return 'is not an address';
  const { protocol, username, password, hostname, port } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'begins with neither https:// nor http://';
  if (username !== '' || password !== '') return 'contains a user name or password, which others could read';
  const host = hostOf(hostname);
  if (host === '') return 'has no host';
  const literal = literalOf(host);
  if (literal !== undefined && !rules.allows(literal, portOf({ protocol, port })))
    return 'is in a network that is closed to requests';
  return undefined;
}

/** Whether the URL names its host as a literal address, or as this machine, that the operator opened. */
export function isOpened(text: string, rules: AddressRules): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const literal = literalOf(hostOf(url.hostname));
  return literal !== undefined && rules.opens(literal, portOf(url));
}

/** Removes the brackets and the final dot of a host. */
export function hostOf(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
}

/** Returns the literal address that a host is, without a name server. */
function literalOf(host: string): string | undefined {
  if (isIP(host) !== 0) return host;
  return /(^|\.)localhost$/i.test(host) ? '127.0.0.1' : undefined;
}
