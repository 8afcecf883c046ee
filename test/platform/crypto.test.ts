import { readSettings } from '../../src/platform/config/settings.js';
import { defineSealed } from '../../src/platform/crypto/sealed-column.js';
import { SealedTextError } from '../../src/platform/crypto/sealed-text-error.js';
import { Vault } from '../../src/platform/crypto/vault.js';
import { randomMasterKey, settingsFor } from '../support/settings.js';

const FIRST = `1:${randomMasterKey()}`;
const SECOND = `2:${randomMasterKey()}`;
const TENTH = `10:${randomMasterKey()}`;

const vaultWith = (...keys: string[]) =>
  new Vault(readSettings({ ...settingsFor('postgres://x/y'), SLIPWAY_MASTER_KEYS: keys.join(',') }));

const vault = vaultWith(FIRST, TENTH, SECOND);
const secret = defineSealed({ table: 'safe', column: 'content_sealed' });
const other = defineSealed({ table: 'safe', column: 'other_sealed' });
const elsewhere = defineSealed({ table: 'other_safe', column: 'content_sealed' });

const wrappedUnder = (sealed: string) => Number(sealed.split('.')[1]);
const contentOf = (sealed: string) => sealed.split('.')[3];

it.each(['', 'a', 'ä€😀', '{"key":"value"}', 'x'.repeat(100_000)])('opens what it sealed (%#)', (text) => {
  const sealed = vault.seal(text, secret, 'r-1');
  expect(vault.open(sealed, secret, 'r-1')).toBe(text);
  expect(sealed).toMatch(/^v1\.10\.[\w-]+\.[\w-]+$/);
});

it('reveals nothing of the text, and never seals it the same way twice', () => {
  const sealed = vault.seal('canary'.repeat(10), secret, 'r-1');
  expect(Buffer.from(sealed.split('.').at(-1)!, 'base64url').toString('latin1')).not.toContain('canary');
  const again = vault.seal('canary'.repeat(10), secret, 'r-1');
  for (const at of [2, 3]) expect(again.split('.')[at]).not.toBe(sealed.split('.')[at]);
});

it('cannot be opened in another record, column or table', () => {
  const sealed = vault.seal('canary', secret, 'r-1');
  const open = (...place: [typeof secret, string]) => vault.open(sealed, ...place);
  expect(() => open(secret, 'r-2')).toThrow(SealedTextError);
  expect(() => open(other, 'r-1')).toThrow(SealedTextError);
  expect(() => open(elsewhere, 'r-1')).toThrow(SealedTextError);
  expect(open(secret, 'r-1')).toBe('canary');
});

it('cannot be opened with one character changed, or with a part of another sealed text', () => {
  const sealed = vault.seal('canary', secret, 'r-1');
  for (let at = 0; at < sealed.length; at += 1) {
    // The last character of a part may have bits without meaning, so only changes of a byte have to be noticed.
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'z' : 'A') + sealed.slice(at + 1);
    if (sameBytes(changed, sealed)) continue;
    expect(() => vault.open(changed, secret, 'r-1')).toThrow(SealedTextError);
  }
  const [version, number, key] = sealed.split('.');
  const mixed = [version, number, key, contentOf(vault.seal('canary', secret, 'r-1'))].join('.');
  expect(() => vault.open(mixed, secret, 'r-1')).toThrow(SealedTextError);
});

it.each(['', 'v1', 'v2.1.a.a', 'v1.10.AAAA.AAAA', 'v1.x.AAAA.AAAA', 'v1.10..', 'plain text', 'v1.10.a.b.c'])(
  'says that %p cannot be opened, and what to do',
  (text) => {
    expect(() => vault.open(text, secret, 'r-1')).toThrow(/^safe\.content_sealed of r-1 cannot be opened.+backup/);
    expect(() => vault.rewrap(text, secret, 'r-1')).toThrow(SealedTextError);
  },
);

it('seals under the highest number in any order of the keys, and opens under all', () => {
  const sealed = [vaultWith(FIRST), vaultWith(SECOND, FIRST), vault].map((one) => one.seal('x', secret, 'r-1'));
  expect(sealed.map(wrappedUnder)).toEqual([1, 2, 10]);
  for (const text of sealed) expect(vault.open(text, secret, 'r-1')).toBe('x');
  expect(vault.keyNumbers).toEqual([1, 2, 10]);
});

it('opens under a key on standby and does not seal under it', () => {
  const prepared = vaultWith(FIRST, `${SECOND}:standby`);
  expect(wrappedUnder(prepared.seal('x', secret, 'r-1'))).toBe(1);
  expect(prepared.open(vaultWith(FIRST, SECOND).seal('x', secret, 'r-1'), secret, 'r-1')).toBe('x');
});

it('says which master key is missing', () => {
  const sealed = vault.seal('x', secret, 'r-1');
  expect(() => vaultWith(FIRST).open(sealed, secret, 'r-1')).toThrow(/master key 10, which SLIPWAY_MASTER_KEYS/);
  const replaced = vaultWith(`10:${randomMasterKey()}`);
  expect(() => replaced.open(sealed, secret, 'r-1')).toThrow(/cannot be opened/);
});

it('re-wraps without changing the text, and then no longer needs the old master key', () => {
  const sealed = vaultWith(FIRST).seal('canary', secret, 'r-1');
  const rewrapped = vaultWith(FIRST, SECOND).rewrap(sealed, secret, 'r-1');
  expect(wrappedUnder(rewrapped)).toBe(2);
  expect(contentOf(rewrapped)).toBe(contentOf(sealed));
  expect(vaultWith(SECOND).open(rewrapped, secret, 'r-1')).toBe('canary');
  expect(() => vaultWith(FIRST, SECOND).rewrap(sealed, secret, 'r-2')).toThrow(SealedTextError);
});

it('requires that names of sealed columns end in _sealed, and that each is defined once', () => {
  expect(() => defineSealed({ table: 'safe', column: 'content' })).toThrow(/_sealed/);
  expect(() => defineSealed({ table: 'safe', column: 'content_sealed' })).toThrow(/twice/);
});

function sameBytes(a: string, b: string): boolean {
  const bytes = (text: string) => text.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'));
  return a.split('.')[1] === b.split('.')[1] && a.slice(0, 2) === b.slice(0, 2) && bytes(a).join() === bytes(b).join();
}
