import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { portOf } from '../../kernel/endpoint.js';
import type { AddressRules } from './address-rules.js';
import { OutboundFault } from './outbound.errors.js';
import { hostOf } from './target-url.js';

const CONNECT_TIMEOUT_MS = 10_000;
/** A port that cannot be opened individually. */
const NO_PORT = 0;

/**
 * Opens connections to allowed addresses only. It connects to the very addresses that it has checked, so a name server
 * that answers differently the next time changes nothing (DNS rebinding).
 */
export function guardedConnect(rules: AddressRules): buildConnector.connector {
  const connectorTo = (port: number) =>
    buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(rules, port), allowH2: false });
  const toOpenedPorts = new Map(rules.openedPorts.map((port) => [port, connectorTo(port)]));
  const toOthers = connectorTo(NO_PORT);
  return (options, callback) => {
    const host = hostOf(options.hostname);
    const port = portOf(options);
    // The lookup hook does not run for a literal address.
    if (isIP(host) !== 0 && !rules.allows(host, port)) callback(new OutboundFault('address'), null);
    else (toOpenedPorts.get(port) ?? toOthers)(options, callback);
  };
}

/**
 * Refuses a name if one of its addresses is not allowed, because the connector chooses which of them it connects to.
 */
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
