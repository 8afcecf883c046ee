import { isIP } from 'node:net';

/**
 * Returns the network that an address belongs to. An IPv6 /64 belongs to one customer; a port or an IPv4-mapped
 * spelling changes nothing.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head.split(':').filter(Boolean);
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter(Boolean).length;
  return [...groups, ...Array<string>(missing).fill('0'), ...(tail ?? '').split(':')].slice(0, 4).join(':');
}
