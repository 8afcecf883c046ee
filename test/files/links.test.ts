import { FileLinks } from '../../src/modules/files/file-links.js';
import { readSettings } from '../../src/platform/config/settings.js';
import { PublicOrigin } from '../../src/platform/links/public-origin.js';
import { SignedLinks } from '../../src/platform/links/signed-links.js';
import { newId } from '../../src/kernel/ids.js';
import { HttpAdapterHost } from '@nestjs/core';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { atTime, HOUR } from '../support/clock.js';
import { randomMasterKey } from '../support/settings.js';
import { startService } from '../support/service.js';
import { FILES, type FileLink, open, openRefused, upload } from './files.js';

const service = await startService();
const tenant = await makeTenant(service);
afterAll(() => service.stop());

const CONTENT = '0123456789';
const { url, fileId } = (await upload(tenant.api, { name: 'ten.txt', content: CONTENT })).body;

/** Returns the links of a service with other settings. */
const linksWith = (changes: Record<string, string>) => {
  const settings = readSettings({ ...service.settings, ...changes });
  return new FileLinks(new SignedLinks(settings, new PublicOrigin(settings, service.app.get(HttpAdapterHost))));
};

describe('a link', () => {
  it('is renewed at any time for any key of the project', async () => {
    const later = Date.now() + 10 * HOUR;
    const answer = await atTime(later, () => tenant.api.get<FileLink>(`${FILES}/${fileId}`));
    expect(answer.outcome).toBe('200');
    expect(Object.keys(answer.body).sort()).toEqual(['fileId', 'url']);
    expect(answer.body.fileId).toBe(fileId);
    const { status } = await atTime(later, () => open(answer.body.url));
    expect(status).toBe(200);
  });

  it('is valid for an hour', async () => {
    const made = Date.now();
    const renewed = await atTime(made, () => tenant.api.get<FileLink>(`${FILES}/${fileId}`));
    const { status } = await atTime(made + HOUR - 1_000, () => open(renewed.body.url));
    expect(status).toBe(200);
    const late = await atTime(made + HOUR, () => openRefused(service, renewed.body.url));
    expect(late.outcome).toBe('403 LINK_EXPIRED');
  });

  it('opens no other file', async () => {
    const other = (await upload(tenant.api)).body;
    expect((await openRefused(service, url.replace(fileId, other.fileId))).outcome).toBe('403 LINK_INVALID');
    expect((await openRefused(service, url.replace(fileId, newId('file')))).outcome).toBe('403 LINK_INVALID');
  });

  it.each([
    ['another end', (link: string) => link.replace(/expires=(\d+)/, (_, at) => `expires=${Number(at) + 1}`)],
    ['another signature', (link: string) => link.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A'))],
    ['the same bytes signed, written otherwise', (link: string) => link.replace(/.$/, withOtherSpareBits)],
    ['a cut signature', (link: string) => link.slice(0, -1)],
    ['a secret that there is not', (link: string) => link.replace('signature=1.', 'signature=2.')],
    ['no number', (link: string) => link.replace('signature=1.', 'signature=')],
    ['no signature', (link: string) => link.replace(/signature=.*/, 'signature=')],
  ])('is refused with %s', async (_, change) => {
    expect((await openRefused(service, change(url))).outcome).toBe('403 LINK_INVALID');
  });

  it('is refused without its members, with more of them, or with one twice', async () => {
    const { pathname, searchParams } = new URL(url);
    const stranger = new Client(service.url);
    expect((await stranger.get(pathname)).faults.sort()).toEqual(['expires', 'signature']);
    expect((await openRefused(service, `${url}&colour=red`)).faults).toEqual(['colour']);
    expect((await openRefused(service, `${url}&expires=${searchParams.get('expires')}`)).faults).toEqual(['expires']);
  });

  it('that was signed with an old secret is valid until the secret is removed', () => {
    const [first, second] = [`1:${randomMasterKey()}`, `2:${randomMasterKey()}`];
    const [before, during, standby, after] = [first, `${first},${second}`, `${first},${second}:standby`, second].map(
      (secrets) => linksWith({ SLIPWAY_LINK_SECRETS: secrets }),
    );
    const checkBy = (links: FileLinks | undefined, link: string) => {
      const { searchParams } = new URL(link);
      links!.check(fileId as `f-${string}`, Number(searchParams.get('expires')), searchParams.get('signature')!);
    };
    const old = before!.to(fileId as `f-${string}`);
    for (const links of [before, during, standby]) checkBy(links, old);
    expect(() => checkBy(after, old)).toThrow(/was not made by this service/);

    const fresh = during!.to(fileId as `f-${string}`);
    expect(new URL(fresh).searchParams.get('signature')).toMatch(/^2\./);
    expect(new URL(standby!.to(fileId as `f-${string}`)).searchParams.get('signature')).toMatch(/^1\./);
    for (const links of [during, standby, after]) checkBy(links, fresh);
    expect(() => checkBy(before, fresh)).toThrow(/was not made by this service/);
  });

  it.each([
    [{ PUBLIC_URL: 'https://files.example.com/' }, /^https:\/\/files\.example\.com\/api\/public\/files\//],
    [{ HOST: '0.0.0.0' }, /^http:\/\/localhost:\d+\/api\//],
    [{ HOST: '127.0.0.1' }, /^http:\/\/127\.0\.0\.1:\d+\/api\//],
  ])('begins with the address of the service for %j', (changes, expected) => {
    expect(linksWith(changes as Record<string, string>).to(newId('file'))).toMatch(expected);
  });
});

describe('a part of a file', () => {
  it.each([
    ['bytes=0-0', '0'],
    ['bytes=2-4', '234'],
    ['bytes=7-', '789'],
    ['bytes=-3', '789'],
    ['bytes=-100', CONTENT],
    ['bytes=5-100', '56789'],
    ['bytes=0-', CONTENT],
  ])('is answered to %s', async (range, expected) => {
    const { status, headers, bytes } = await open(url, { range });
    expect([status, bytes.toString()]).toEqual([206, expected]);
    const start = CONTENT.indexOf(expected);
    expect(headers.get('content-range')).toBe(`bytes ${start}-${start + expected.length - 1}/10`);
    expect(headers.get('content-length')).toBe(String(expected.length));
  });

  it.each(['bytes=10-', 'bytes=10-20', 'bytes=-0'])('that has no bytes is refused: %s', async (range) => {
    const answer = await openRefused(service, url, { range });
    expect(answer.outcome).toBe('416 RANGE_NOT_SATISFIABLE');
    expect(answer.headers.get('content-range')).toBe('bytes */10');
  });

  it.each(['bytes=0-1,3-4', 'bytes=4-2', 'lines=1-2', 'bytes=-', 'nonsense', 'bytes=a-b'])(
    'is not answered to %s, but the complete file',
    async (range) => {
      const { status, bytes, headers } = await open(url, { range });
      expect([status, bytes.toString(), headers.get('accept-ranges')]).toEqual([200, CONTENT, 'bytes']);
    },
  );

  it('is answered only if If-Range names the same file', async () => {
    const tag = (await open(url)).headers.get('etag')!;
    expect((await open(url, { range: 'bytes=5-', 'if-range': tag })).status).toBe(206);
    expect((await open(url, { range: 'bytes=5-', 'if-range': '"another"' })).status).toBe(200);
  });

  it('of an empty file is refused', async () => {
    const empty = (await upload(tenant.api, { content: '' })).body;
    expect((await openRefused(service, empty.url, { range: 'bytes=0-' })).outcome).toBe('416 RANGE_NOT_SATISFIABLE');
    expect((await openRefused(service, empty.url, { range: 'bytes=-1' })).outcome).toBe('416 RANGE_NOT_SATISFIABLE');
  });
});

/** Changes one of the two bits that have no meaning in the last character of 32 bytes in base64url. */
function withOtherSpareBits(last: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return letters[letters.indexOf(last) ^ 1]!;
}

it('HEAD is answered with the size of a file, whatever range is asked for', async () => {
  for (const headers of [{}, { range: 'bytes=0-4' }, { range: 'bytes=90-' }] as Record<string, string>[]) {
    const response = await fetch(url, { method: 'HEAD', headers });
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '10']);
  }
});

it('a file is not found with a key of another project', async () => {
  const stranger = await makeTenant(service);
  expect((await stranger.api.get(`${FILES}/${fileId}`)).outcome).toBe('404 FILE_NOT_FOUND');
});
