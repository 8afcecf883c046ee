import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** Ordinary to ipaddr.js, and yet nothing of the public internet. */
const ALSO_CLOSED = [
  // Azure answers there with a machine's own settings and credentials.
  '168.63.129.16/32',
  // IPv4 in IPv6 as it was once written.
  '::/96',
].map((text) => ipaddr.parseCIDR(text));

/** Where the public part of IPv6 lies; what is outside of it is tunnels, translations and reservations. */
const PUBLIC_IPV6 = ipaddr.parseCIDR('2000::/3');

/** Which addresses requests may go to: public ones, and those in networks that the operator opened. */
export class AddressRules {
  private readonly opened: Network[];

  constructor(openedNetworks: readonly string[]) {
    this.opened = openedNetworks.map((text) => (text.includes('/') ? ipaddr.parseCIDR(text) : wholeAddress(text)));
  }

  /** Of a literal address. What is none is not allowed. */
  allows(text: string): boolean {
    return isIP(text) !== 0 && (this.opens(text) || isPublic(ipaddr.process(text)));
  }

  /** Whether a literal address is in one of the networks that the operator opened. */
  opens(text: string): boolean {
    if (isIP(text) === 0) return false;
    const address = ipaddr.process(text);
    return this.opened.some((network) => isWithin(address, network));
  }
}

function isPublic(address: Address): boolean {
  if (ALSO_CLOSED.some((network) => isWithin(address, network))) return false;
  if (address.kind() === 'ipv6' && !isWithin(address, PUBLIC_IPV6)) return false;
  return address.range() === 'unicast';
}

function isWithin(address: Address, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

function wholeAddress(text: string): Network {
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
