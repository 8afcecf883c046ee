import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { portOf } from '../../kernel/endpoint.js';
import type { AddressRules } from './address-rules.js';
import { OutboundFault } from './outbound.errors.js';
import { hostOf } from './target-url.js';

const CONNECT_TIMEOUT_MS = 10_000;
/** One that nobody opens by itself. */
const NO_PORT = 0;

/**
 * Opens connections to allowed addresses only. The addresses that are checked are those that are connected to: a name
 * server that answers otherwise the next time changes nothing.
 */
export function guardedConnect(rules: AddressRules): buildConnector.connector {
  const connectorTo = (port: number) =>
    buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(rules, port), allowH2: false });
  const toOpenedPorts = new Map(rules.openedPorts.map((port) => [port, connectorTo(port)]));
  const toOthers = connectorTo(NO_PORT);
  return (options, callback) => {
    const host = hostOf(options.hostname);
    const port = portOf(options);
    // For a literal address nothing is looked up.
    if (isIP(host) !== 0 && !rules.allows(host, port)) callback(new OutboundFault('address'), null);
    else (toOpenedPorts.get(port) ?? toOthers)(options, callback);
  };
}

/** One address that is not allowed refuses the name: which of them is connected to is not ours to choose. */
function guardedLookup(rules: AddressRules, port: number): LookupFunction {
  return (hostname: string, options: LookupOptions, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[] = []) => {
      const [first] = addresses;
      if (error || !first) return callback(error ?? new OutboundFault('unreachable'), '', 0);
      if (!addresses.every(({ address }) => rules.allows(address, port)))
        return callback(new OutboundFault('address'), '', 0);
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}
