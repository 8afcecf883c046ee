import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseEndpoint } from '../../kernel/endpoint.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** Networks that ipaddr.js takes for ordinary, although they are not part of the public internet. */
const ALSO_CLOSED = [
  // Azure serves a machine's own settings and credentials at this address.
  '168.63.129.16/32',
  // This is an obsolete way to write IPv4 in IPv6.
  '::/96',
].map((text) => ipaddr.parseCIDR(text));

/** The public part of IPv6. Other ranges are tunnels, translations and reservations. */
const PUBLIC_IPV6 = ipaddr.parseCIDR('2000::/3');

interface Opening {
  network: Network;
  /** Every port if it is not given. */
  port?: number;
}

/** Decides where requests may go: to public addresses, and to networks and ports that the operator opened. */
export class AddressRules {
  private readonly openings: Opening[];

  /** Takes the setting's networks, addresses, and addresses with a port. */
  constructor(openings: readonly string[]) {
    this.openings = openings.map(openingIn);
  }

  /** The ports that were opened individually. */
  get openedPorts(): number[] {
    return this.openings.flatMap(({ port }) => port ?? []);
  }

  /** Whether requests may go to a literal address. A text that is no address is not allowed. */
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
