import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type SettingsOfTest = Record<string, string>;

/** The settings of a service under test. Secrets are new for each, so that nothing depends on one of them. */
export function settingsFor(databaseUrl: string): SettingsOfTest {
  return {
    DATABASE_URL: databaseUrl,
    REDIS_URL: process.env.TEST_REDIS_URL!,
    SLIPWAY_PEPPER: randomSecret(),
    SLIPWAY_MASTER_KEYS: `1:${randomMasterKey()}`,
    SLIPWAY_LINK_SECRETS: `1:${randomMasterKey()}`,
    // A folder of its own; processes of one service get the same settings, and so share it.
    DATA_DIR: join(process.env.TEST_FOLDER ?? tmpdir(), `data-${randomBytes(8).toString('hex')}`),
    SLIPWAY_ADMIN_KEY: randomSecret(),
    // Services of different databases share one Redis: without a prefix they would answer each other's bells.
    REDIS_PREFIX: randomBytes(8).toString('hex'),
    DATABASE_POOL: '8',
    PORT: '0',
    STOP_DELAY_SECONDS: '0',
    // Doubles of model providers and other receivers listen there.
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    LOG_LEVEL: 'silent',
    // All tests come from one address, and administrators of all services are counted as one. Tests of limits set them.
    RATE_LIMIT_DEFAULT: '0',
    RATE_LIMIT_LEDGER: '0',
    RATE_LIMIT_MESSAGES: '0',
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

export function randomMasterKey(): string {
  return randomBytes(32).toString('base64');
}
