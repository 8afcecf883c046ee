import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseEndpoint } from '../../kernel/endpoint.js';

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

interface Opening {
  network: Network;
  /** Every one where it is not said. */
  port?: number;
}

/** Where requests may go: to public addresses, and to networks and ports that the operator opened. */
export class AddressRules {
  private readonly openings: Opening[];

  /** As in the setting: networks, addresses, and addresses with a port. */
  constructor(openings: readonly string[]) {
    this.openings = openings.map(openingIn);
  }

  /** Those that were opened by themselves. */
  get openedPorts(): number[] {
    return this.openings.flatMap(({ port }) => port ?? []);
  }

  /** Of a literal address. What is none is not allowed. */
  allows(text: string, port: number): boolean {
    return isIP(text) !== 0 && (this.opens(text, port) || isPublic(ipaddr.process(text)));
  }

  /** Whether the operator opened a literal address, with every port or with this one. */
  opens(text: string, port: number): boolean {
    if (isIP(text) === 0) return false;
    const address = ipaddr.process(text);
    return this.openings.some((opening) => (opening.port ?? port) === port && isWithin(address, opening.network));
  }
}

function openingIn(text: string): Opening {
  const endpoint = parseEndpoint(text);
  if (endpoint) return { network: wholeAddress(endpoint.address), port: endpoint.port };
  return { network: text.includes('/') ? ipaddr.parseCIDR(text) : wholeAddress(text) };
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
