/** An app has these four environments and no other. */
export const ENVIRONMENT_NAMES = ['development', 'staging', 'production', 'working-copy'] as const;

export type EnvironmentName = (typeof ENVIRONMENT_NAMES)[number];

/** Matched without regard to case, except in the ledger's filter. */
export function toEnvironmentName(text: string): EnvironmentName | undefined {
  return ENVIRONMENT_NAMES.find((name) => name === text.toLowerCase());
}
