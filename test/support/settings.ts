import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type SettingsOfTest = Record<string, string>;

/** The settings of a service under test. Secrets are new for each service, so that nothing depends on one of them. */
export function settingsFor(databaseUrl: string): SettingsOfTest {
  return {
    DATABASE_URL: databaseUrl,
    ...directUrlOnCluster(databaseUrl),
    REDIS_URL: process.env.TEST_REDIS_URL!,
    SLIPWAY_PEPPER: randomSecret(),
    SLIPWAY_MASTER_KEYS: `1:${randomMasterKey()}`,
    SLIPWAY_LINK_SECRETS: `1:${randomMasterKey()}`,
    // Each service has a folder of its own. Its processes have the same settings and so share the folder.
    DATA_DIR: join(process.env.TEST_FOLDER ?? tmpdir(), `data-${randomBytes(8).toString('hex')}`),
    SLIPWAY_ADMIN_KEY: randomSecret(),
    // Services of different databases share one Redis, and without a prefix they would receive each other's bells.
    REDIS_PREFIX: randomBytes(8).toString('hex'),
    DATABASE_POOL: '8',
    // Tests change the rows of jobs without ringing a bell.
    WORKER_LOOK_SECONDS: '1',
    PORT: '0',
    METRICS_COUNT_SECONDS: '0',
    STOP_DELAY_SECONDS: '0',
    // The doubles of providers and the other receivers listen on these addresses.
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    LOG_LEVEL: 'silent',
    // All tests come from one address, and the administrators of all services are counted together. Tests of limits set
    // their own.
    RATE_LIMIT_DEFAULT: '0',
    RATE_LIMIT_LEDGER: '0',
    RATE_LIMIT_MESSAGES: '0',
    RATE_LIMIT_SIGN_IN: '0',
    RATE_LIMIT_FAILED_AUTH: '0',
  };
}

/**
 * A database that is distributed over a cluster is used as if it were behind a pooler. Its address is then that of the
 * coordinator with the time limits that the role of a pooler has.
 */
function directUrlOnCluster(databaseUrl: string): SettingsOfTest {
  const url = new URL(databaseUrl);
  if (!process.env.TEST_CITUS_URL || !url.searchParams.has('options')) return {};
  url.search = '';
  return { DATABASE_DIRECT_URL: url.href };
}

/** Returns a database of Redis for tests of counts. No other test file uses this number. */
export function redisDatabase(number: number): string {
  return `${process.env.TEST_REDIS_URL}/${number}`;
}

export function randomSecret(): string {
  return randomBytes(32).toString('hex');
}

export function randomMasterKey(): string {
  return randomBytes(32).toString('base64');
}
