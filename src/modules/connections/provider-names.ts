import { z } from 'zod';
import type { Provider } from './connection.entity.js';

/**
 * The names by which people know the providers. They are accepted beside the names of the interface and stand for them;
 * answers and rows have only the latter.
 */
const COMMON_NAMES = { openai: 'Vendor1', azure: 'CloudVendor1', anthropic: 'Vendor2' } as const;

/** The same for `mapProvider`, which names the protocol of an endpoint. */
const COMMON_PROTOCOLS = { openai: 'vendor1Model', anthropic: 'vendor2Model' } as const;

export const COMMON_PROVIDER_NAMES = namesOf(COMMON_NAMES);
export const COMMON_PROTOCOL_NAMES = namesOf(COMMON_PROTOCOLS);

type CommonName = keyof typeof COMMON_NAMES;
type Vendor = (typeof COMMON_NAMES)[CommonName];

/** Accepts a vendor by either of its names. */
export function vendor<Name extends Vendor>(name: Name) {
  const others = COMMON_PROVIDER_NAMES.filter((common) => COMMON_NAMES[common] === name);
  return z.literal<(Name | CommonName)[]>([name, ...others]).transform(() => name);
}

export function toProvider(named: Provider | CommonName): Provider {
  return named in COMMON_NAMES ? COMMON_NAMES[named as CommonName] : (named as Provider);
}

export function toMappedProvider<Mapped extends string>(
  named: Mapped | keyof typeof COMMON_PROTOCOLS,
): Mapped | (typeof COMMON_PROTOCOLS)[keyof typeof COMMON_PROTOCOLS] {
  return named in COMMON_PROTOCOLS ? COMMON_PROTOCOLS[named as keyof typeof COMMON_PROTOCOLS] : (named as Mapped);
}

function namesOf<Names extends object>(names: Names): (keyof Names)[] {
  return Object.keys(names) as (keyof Names)[];
}
