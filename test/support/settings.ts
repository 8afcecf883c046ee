import { randomBytes } from 'node:crypto';

export type SettingsOfTest = Record<string, string>;

/** The settings of a service under test. Secrets are new for each, so that nothing depends on one of them. */
export function settingsFor(databaseUrl: string): SettingsOfTest {
  return {
    DATABASE_URL: databaseUrl,
    REDIS_URL: process.env.TEST_REDIS_URL!,
    SLIPWAY_PEPPER: randomSecret(),
    SLIPWAY_ADMIN_KEY: randomSecret(),
    PORT: '0',
    LOG_LEVEL: 'silent',
    // All tests come from one address.
    RATE_LIMIT_FAILED_AUTH: '0',
  };
}

export function randomSecret(): string {
  return randomBytes(32).toString('hex');
}
