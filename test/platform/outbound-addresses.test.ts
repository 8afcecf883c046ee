import { AddressRules } from '../../src/platform/outbound/address-rules.js';
import { refusalOf } from '../../src/platform/outbound/target-url.js';
import { CLOSED_ADDRESSES, closedUrls, PUBLIC_ADDRESSES } from './outbound-corpus.mjs';

const strict = new AddressRules([]);

describe('an address', () => {
  it.each(CLOSED_ADDRESSES)('that is not public is closed: %s', (address) => {
    expect(strict.allows(address, 80)).toBe(false);
  });

  it.each(PUBLIC_ADDRESSES)('that is public is open: %s', (address) => {
    expect(strict.allows(address, 80)).toBe(true);
  });

  it.each(['', 'example.com', '1.1.1', '1.1.1.1/32', '01.1.1.1', 'fe80::1%lo'])(
    'is closed if it is no address: %j',
    (text) => {
      expect(strict.allows(text, 80)).toBe(false);
    },
  );

  it('is open in a network that was opened, and closed outside it', () => {
    const rules = new AddressRules(['10.1.0.0/16', '192.168.7.7', 'fd00:1::/32']);
    const allowed = ['10.1.2.3', '::ffff:10.1.2.3', '192.168.7.7', 'fd00:1::5', '1.1.1.1'];
    const closed = ['10.2.0.1', '192.168.7.8', 'fd00:2::5', '127.0.0.1', '64:ff9b::a01:203'];
    expect([...allowed, ...closed].filter((address) => rules.allows(address, 80))).toEqual(allowed);
  });
});

describe('an address that was opened with a port', () => {
  const rules = new AddressRules(['127.0.0.1:3001', '[::1]:80']);

  it('is open at that port and closed at every other', () => {
    expect([rules.allows('127.0.0.1', 3001), rules.allows('::ffff:127.0.0.1', 3001)]).toEqual([true, true]);
    expect([rules.allows('127.0.0.1', 3002), rules.allows('127.0.0.2', 3001)]).toEqual([false, false]);
    expect([rules.allows('::1', 80), rules.allows('::1', 443)]).toEqual([true, false]);
  });

  it('can only be saved with that port, also if it is the default of http or https', () => {
    expect(refusalOf('http://localhost:3001/', rules)).toBeUndefined();
    expect(refusalOf('http://[::1]/', rules)).toBeUndefined();
    expect(refusalOf('https://[::1]/', rules)).toMatch(/network/);
    expect(refusalOf('http://127.0.0.1/', rules)).toMatch(/network/);
  });
});

describe('an address to save', () => {
  it.each(closedUrls(8080))('is refused: %j', (url) => {
    expect(refusalOf(url, strict)).toMatch(/\w/);
  });

  it.each([
    'https://api.example.com/v1',
    'http://model.internal:8000',
    'https://1.1.1.1',
    'https://[2606:4700::1111]/x',
  ])('is accepted: %s', (url) => {
    expect(refusalOf(url, strict)).toBeUndefined();
  });

  it('says what is wrong with it', () => {
    expect(refusalOf('ftp://example.com', strict)).toMatch(/https/);
    expect(refusalOf('https://ada:word@example.com', strict)).toMatch(/user name/);
    expect(refusalOf('https://10.0.0.1', strict)).toMatch(/network/);
    expect(refusalOf('example', strict)).toMatch(/not an address/);
  });

  it('may lead into a network that was opened, by number or as localhost', () => {
    const rules = new AddressRules(['127.0.0.0/8']);
    for (const host of ['127.0.0.1', '2130706433', 'localhost', 'localhost.', '[::ffff:127.0.0.1]']) {
      expect(refusalOf(`http://${host}:1/`, rules)).toBeUndefined();
    }
    expect(refusalOf('http://[::1]:1/', rules)).toBeDefined();
  });
});
