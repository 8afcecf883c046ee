/** The environments that each app has. */
export const ENVIRONMENTS = ['production', 'staging', 'development', 'working-copy'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];
