import { z } from 'zod';
import { readSettings, SettingsError } from '../../src/platform/config/settings.js';
import { settingsSchema } from '../../src/platform/config/settings-schema.js';
import { randomMasterKey, randomSecret } from '../support/settings.js';

const GOOD = {
  DATABASE_URL: 'postgresql://slipway:slipway@localhost/slipway',
  REDIS_URL: 'redis://localhost:6379',
  SLIPWAY_PEPPER: randomSecret(),
  SLIPWAY_MASTER_KEYS: `1:${randomMasterKey()}`,
  SLIPWAY_LINK_SECRETS: `1:${randomMasterKey()}`,
};

function faultsOf(changes: Record<string, string | undefined>): readonly string[] {
  try {
    readSettings({ ...GOOD, ...changes });
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
}

const namesIn = (faults: readonly string[]) => faults.map((fault) => fault.split(' ')[0]).sort();

it('starts with only the settings that have no default', () => {
  expect(readSettings(GOOD)).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 3000,
    DATA_DIR: '.data',
    API_KEYS_PER_SCOPE: 20,
  });
});

it('is frozen', () => {
  const settings = readSettings(GOOD);
  expect(Object.isFrozen(settings)).toBe(true);
});

it('names all missing settings at once', () => {
  const missing = Object.fromEntries(Object.keys(GOOD).map((name) => [name, undefined]));
  expect(namesIn(faultsOf(missing))).toEqual(Object.keys(GOOD).sort());
  expect(namesIn(faultsOf({ ...missing, DATABASE_URL: '' }))).toEqual(Object.keys(GOOD).sort());
});

it('names all wrong settings at once, and never repeats a secret', () => {
  const wrong = {
    DATABASE_URL: 'mysql://root:canary@localhost/x',
    REDIS_URL: 'http://localhost',
    PORT: '70000',
    API_KEYS_PER_SCOPE: 'many',
    RATE_LIMIT_DEFAULT: '-1',
    LOG_LEVEL: 'loud',
    TRUST_PROXY: '10.0.0.0/33',
    PUBLIC_URL: 'example.com',
    SLIPWAY_PEPPER: 'canary',
    SLIPWAY_MASTER_KEYS: '1:canary',
    SLIPWAY_LINK_SECRETS: '1:canary',
    STORAGE_URL: 'canary',
    FILE_LINK_TTL: '0',
    PROJECT_STORAGE_GIB: '-1',
    SLIPWAY_ADMIN_KEY: 'canary too short',
    SLIPWAY_DEMO: 'yes',
    DATABASE_POOL: '0',
  };
  const faults = faultsOf(wrong);
  expect(namesIn(faults)).toEqual(Object.keys(wrong).sort());
  expect(faults.join()).not.toContain('canary');
  for (const fault of faults) expect(fault).toMatch(/^[A-Z_]+ .{8,}/);
});

it.each(['SLIPWAY_PEPPER', 'SLIPWAY_ADMIN_KEY', 'METRICS_TOKEN'])(
  'refuses a %s that is short, a sample, or one character repeated',
  (name) => {
    const bad = [
      'x',
      randomSecret().slice(0, 31),
      'x'.repeat(40),
      `change-me-${randomSecret()}`,
      `changeme${randomSecret()}`,
      `this-is-an-example-${randomSecret()}`,
      `my-secret-${randomSecret()}`,
      `Password${randomSecret()}`,
    ];
    for (const value of bad) expect(namesIn(faultsOf({ [name]: value }))).toEqual([name]);
    expect(faultsOf({ [name]: randomSecret() })).toEqual([]);
  },
);

it('accepts one Redis, one with TLS, Sentinels and a cluster', () => {
  const several = [
    'redis-sentinel://a:1,b:2/main',
    'rediss-sentinel://a/main',
    'redis-cluster://a:1,b',
    'rediss-cluster://u:p@a',
  ];
  for (const url of ['redis://x', 'rediss://:p@x:1/2', ...several]) {
    expect(faultsOf({ REDIS_URL: url })).toEqual([]);
  }
});

it.each([
  ['REDIS_URL', 'redis-sentinel://host'],
  ['REDIS_URL', 'redis-cluster://host/main'],
  ['REDIS_URL', 'redis-other://host'],
  ['REDIS_URL', 'redis://'],
  ['REDIS_URL', 'localhost:6379'],
  ['CORS_ORIGINS', 'https://app.test/path'],
  ['CORS_ORIGINS', 'app.test'],
  ['CORS_ORIGINS', '*'],
  ['TRUST_PROXY', '10.0.0.0/8/8'],
  ['TRUST_PROXY', '::1/129'],
  ['TRUST_PROXY', 'localhost'],
  ['TRUST_PROXY', '127.0.0.1:3001'],
  ['OUTBOUND_ALLOW_CIDRS', 'localhost:3001'],
  ['OUTBOUND_ALLOW_CIDRS', '127.0.0.1:0'],
  ['OUTBOUND_ALLOW_CIDRS', '127.0.0.1:65536'],
  ['OUTBOUND_ALLOW_CIDRS', '10.0.0.0/8:80'],
  ['OUTBOUND_ALLOW_CIDRS', '::1]:80'],
  ['PUBLIC_URL', 'ftp://slipway.test'],
])('refuses %s=%s', (name, value) => {
  expect(namesIn(faultsOf({ [name]: value }))).toEqual([name]);
});

it.each([
  ['redis-sentinel://host', 'must end with the name of the master'],
  ['redis-cluster://host/main', 'must end with the nodes'],
  ['http://host', 'must be an address such as redis://host:6379'],
  ['redis-cluster://host,', 'must be an address such as redis://host:6379'],
])('says of REDIS_URL=%s that it %s', (url, fault) => {
  expect(faultsOf({ REDIS_URL: url }).join()).toContain(fault);
});

it('reads lists, trims their items and drops empty ones', () => {
  const settings = readSettings({
    ...GOOD,
    CORS_ORIGINS: ' https://a.test, ,https://b.test ',
    TRUST_PROXY: '::1, 10.0.0.0/8',
  });
  expect(settings).toMatchObject({
    CORS_ORIGINS: ['https://a.test', 'https://b.test'],
    TRUST_PROXY: ['::1', '10.0.0.0/8'],
  });
});

const { properties = {} } = z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' });

it.each(Object.keys(settingsSchema.shape))('documents %s', (name) => {
  expect((properties[name] as { description?: string }).description).toMatch(/^[A-Z0-9`].{10,}\.$/);
});

const UNSAID: Readonly<Record<string, unknown>> = { ...readSettings(GOOD) };
const hasDefault = (name: string) => !(name in GOOD) && [UNSAID[name]].flat().some((value) => value !== undefined);

it.each(Object.keys(settingsSchema.shape).filter(hasDefault))('documents the default of %s', (name) => {
  const { default: documented = '' } = properties[name] as { default?: unknown };
  const asWritten = [documented].flat().join(',');
  expect(asWritten).not.toBe('');
  expect(readSettings({ ...GOOD, [name]: asWritten })).toMatchObject({ [name]: UNSAID[name] });
});
