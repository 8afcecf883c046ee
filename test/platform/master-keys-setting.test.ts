import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSecrets } from '../../scripts/launcher/secrets.mjs';
import { readSettings, SettingsError } from '../../src/platform/config/settings.js';
import { randomMasterKey, randomSecret, settingsFor } from '../support/settings.js';

const GOOD = randomMasterKey();

function faultsOf(masterKeys: string): readonly string[] {
  try {
    readSettings({ ...settingsFor('postgres://x/y'), SLIPWAY_MASTER_KEYS: masterKeys });
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
}

const base64 = (bytes: number[]) => Buffer.from(bytes).toString('base64');
const bytes = (count: number, make: (at: number) => number) => Array.from({ length: count }, (_, at) => make(at) & 255);

it('accepts one key, several, gaps between numbers, both alphabets and surrounding spaces', () => {
  const url = Buffer.from(GOOD, 'base64').toString('base64url');
  for (const keys of [`1:${GOOD}`, `7:${url}`, ` 3:${GOOD} , 12:${randomMasterKey()}`]) {
    expect(faultsOf(keys)).toEqual([]);
  }
});

it.each([
  ['no number', GOOD],
  ['the number 0', `0:${GOOD}`],
  ['a negative number', `-1:${GOOD}`],
  ['nothing after the number', '1:'],
  ['an empty item', `1:${GOOD},`],
  ['another separator', `1:${GOOD};2:${randomMasterKey()}`],
  ['31 bytes', `1:${Buffer.from(GOOD, 'base64').subarray(1).toString('base64')}`],
  ['33 bytes', `1:${Buffer.concat([Buffer.from(GOOD, 'base64'), Buffer.from('x')]).toString('base64')}`],
  ['hexadecimal digits', `1:${randomSecret()}`],
  ['a number twice', `1:${GOOD},1:${randomMasterKey()}`],
  ['one value under two numbers', `1:${GOOD},2:${GOOD}`],
  ['zeros', `1:${base64(bytes(32, () => 0))}`],
  ['a repeated piece', `1:${base64(bytes(32, (at) => at % 8))}`],
  ['counting up', `1:${base64(bytes(32, (at) => at))}`],
  ['counting down in sevens', `1:${base64(bytes(32, (at) => -7 * at))}`],
  ['words', `1:${Buffer.from('correct horse battery staple, ok').toString('base64')}`],
  ['hexadecimal digits as bytes', `1:${Buffer.from(randomSecret().slice(0, 32)).toString('base64')}`],
])('refuses %s, without showing it', (_, keys) => {
  const faults = faultsOf(keys);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(/^SLIPWAY_MASTER_KEYS has (key|item) \d+, wh(ich|ose) .+openssl rand/);
  const values = keys.split(/[,;]/).map((item) => item.split(':').at(-1)!);
  for (const value of values) if (value.length > 3) expect(faults.join()).not.toContain(value.slice(0, 8));
});

it('requires a key that seals', () => {
  expect(faultsOf(`1:${GOOD}:standby`)).toEqual([expect.stringContaining('has no key that seals')]);
  expect(faultsOf(`1:${GOOD}:standby,2:${randomMasterKey()}`)).toEqual([]);
});

it('names every bad key', () => {
  expect(faultsOf(`1:short,2:${GOOD},3:${base64(bytes(32, () => 0))}`)).toHaveLength(2);
});

describe('the launcher', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-secrets-'));
  const file = join(folder, 'secrets.json');
  const stored = () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('writes a master key that the service accepts into a private file, and keeps it', () => {
    const { SLIPWAY_MASTER_KEYS = '' } = ensureSecrets(folder);
    expect(faultsOf(SLIPWAY_MASTER_KEYS)).toEqual([]);
    expect(stored()).toMatchObject({ SLIPWAY_MASTER_KEYS });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(ensureSecrets(folder)).toMatchObject({ SLIPWAY_MASTER_KEYS });
  });

  it('adds one to the secrets of an earlier version, and leaves those unchanged', () => {
    const { SLIPWAY_PEPPER, SLIPWAY_ADMIN_KEY } = stored();
    writeFileSync(file, JSON.stringify({ SLIPWAY_PEPPER, SLIPWAY_ADMIN_KEY }));
    const secrets = ensureSecrets(folder);
    expect(secrets).toMatchObject({ SLIPWAY_PEPPER, SLIPWAY_ADMIN_KEY });
    expect(faultsOf(secrets.SLIPWAY_MASTER_KEYS!)).toEqual([]);
  });
});
