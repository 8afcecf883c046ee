import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressRules } from './address-rules.js';
import { OutboundFault } from './outbound.errors.js';
import { hostOf } from './target-url.js';

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Opens connections to allowed addresses only. The addresses that are checked are those that are connected to: a name
 * server that answers otherwise the next time changes nothing.
 */
export function guardedConnect(rules: AddressRules): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(rules), allowH2: false });
  return (options, callback) => {
    const host = hostOf(options.hostname);
    // For a literal address nothing is looked up.
    if (isIP(host) !== 0 && !rules.allows(host)) callback(new OutboundFault('address'), null);
    else connect(options, callback);
  };
}

/** One address that is not allowed refuses the name: which of them is connected to is not ours to choose. */
function guardedLookup(rules: AddressRules): LookupFunction {
  return (hostname: string, options: LookupOptions, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[] = []) => {
      const [first] = addresses;
      if (error || !first) return callback(error ?? new OutboundFault('unreachable'), '', 0);
      if (!addresses.every(({ address }) => rules.allows(address)))
        return callback(new OutboundFault('address'), '', 0);
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}
