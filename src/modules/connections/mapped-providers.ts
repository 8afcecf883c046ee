/**
 * The names by which people know the protocols that `mapProvider` names. They are accepted beside the names of the
 * interface and stand for them; answers and rows have only the latter.
 */
const COMMON_PROTOCOLS = { openai: 'vendor1Model', anthropic: 'vendor2Model' } as const;

type CommonName = keyof typeof COMMON_PROTOCOLS;

export const COMMON_PROTOCOL_NAMES = Object.keys(COMMON_PROTOCOLS) as CommonName[];

export function toMappedProvider<Mapped extends string>(
  named: Mapped | CommonName,
): Mapped | (typeof COMMON_PROTOCOLS)[CommonName] {
  return named in COMMON_PROTOCOLS ? COMMON_PROTOCOLS[named as CommonName] : (named as Mapped);
}
