import { Mask } from '../../src/modules/tools/runs/masking.js';

const SECRET = `pa~ss (w)!"x'<&>é/?0123456789`;
const mask = new Mask([SECRET]);

const withQuery = new URL(`https://example.com/?raw=${SECRET}`);
withQuery.searchParams.append('key', SECRET);

it.each([
  ['a text', `It is ${SECRET}.`],
  ['a path of an address', `https://example.com/${encodeURIComponent(SECRET)}`],
  ['an address as it is', new URL(`https://example.com/?raw=${SECRET}`).href],
  ['an address to which parameters were added', withQuery.href],
  ['a form', new URLSearchParams({ key: SECRET }).toString()],
  ['JSON', JSON.stringify({ key: SECRET })],
  ['HTML', '<b>pa~ss (w)!&#34;x&#39;&lt;&amp;&gt;é/?0123456789</b>'],
])('masks a secret as it stands in %s', (_, text) => {
  expect(mask.ofText(text)).not.toContain('0123456789');
  expect(mask.ofText(text)).toContain('pa********6789');
});

it.each([
  ['small letters', encodeURIComponent(SECRET).toLowerCase()],
  ['all marks', encodeURIComponent(SECRET).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)],
  ['base64', encodeURIComponent(Buffer.from(SECRET).toString('base64'))],
])('masks a secret that is percent-encoded with %s', (_, text) => {
  expect(mask.ofText(`https://example.com/${text}`)).toBe('https://example.com/pa********6789');
});

it('never leaves half of a character of a secret', () => {
  const masked = new Mask(['a😀bcdefghijklmno😀pq']).of({
    text: 'a😀bcdefghijklmno😀pq',
    cookie: 'a😀bcdefghijklm😀opq',
  });
  expect(JSON.stringify(masked)).not.toContain('\\ud');
});

it('masks a secret in both alphabets of base64', () => {
  for (const alphabet of ['base64', 'base64url'] as const) {
    expect(mask.ofText(`Basic ${Buffer.from(SECRET).toString(alphabet)}`)).toBe('Basic pa********6789');
  }
});

it.each(['', 'a', 'ab', 'abc'])('masks a secret in the base64 of a longer text, after %j', (before) => {
  for (const alphabet of ['base64', 'base64url'] as const) {
    const masked = mask.ofText(Buffer.from(`${before}${SECRET} and more`).toString(alphabet));
    expect(masked).toContain('pa********6789');
    expect(Buffer.from(masked, 'base64').toString()).not.toMatch(/ss|x'<|0123/);
  }
});
