import { randomBytes } from 'node:crypto';

export type SettingsOfTest = Record<string, string>;

/** The settings of a service under test. Secrets are new for each, so that nothing depends on one of them. */
export function settingsFor(databaseUrl: string): SettingsOfTest {
  return {
    DATABASE_URL: databaseUrl,
    REDIS_URL: process.env.TEST_REDIS_URL!,
    SLIPWAY_PEPPER: randomSecret(),
    SLIPWAY_ADMIN_KEY: randomSecret(),
    // Services of different databases share one Redis: without a prefix they would answer each other's bells.
    REDIS_PREFIX: randomBytes(8).toString('hex'),
    DATABASE_POOL: '8',
    PORT: '0',
    LOG_LEVEL: 'silent',
    // All tests come from one address, and administrators of all services are counted as one. Tests of limits set them.
    RATE_LIMIT_DEFAULT: '0',
    RATE_LIMIT_FAILED_AUTH: '0',
  };
}

/** For tests of what is counted in Redis: a part of it that no other test file uses under this number. */
export function redisDatabase(number: number): string {
  return `${process.env.TEST_REDIS_URL}/${number}`;
}

export function randomSecret(): string {
  return randomBytes(32).toString('hex');
}
