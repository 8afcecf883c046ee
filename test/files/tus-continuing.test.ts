import { makeTenant, type Tenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { openRequest } from '../support/wire.js';
import { Store } from './store.js';
import { contentOf, continuation, createdTus, head, offsetOf, patch, partSizesOf, terminate } from './tus.js';

const service = await startService();
const store = new Store(service.settings, service.database);
let tenant: Tenant;
let api: Tenant['api'];
beforeEach(async () => ({ api } = tenant = await makeTenant(service)));
afterAll(() => service.stop());

const MiB = 1024 * 1024;

describe('continuing', () => {
  let address: string;
  beforeEach(async () => (address = await createdTus(api)));

  it.each(['', '-1', 'x', '1e0'])('is refused at the offset %j', async (offset) => {
    expect(await patch(api, address, offset, 'abc')).toMatchObject(faultsAt('Upload-Offset'));
  });

  it('is refused with another media type', async () => {
    const answer = await patch(api, address, 0, 'abc', { 'content-type': 'application/octet-stream' });
    expect(answer.outcome).toBe('415 UNSUPPORTED_MEDIA_TYPE');
  });

  it('is refused elsewhere than at the end of what has arrived', async () => {
    await patch(api, address, 0, 'abc');
    for (const offset of [0, 2, 4]) {
      expect((await patch(api, address, offset, 'd')).outcome).toBe('409 UPLOAD_OFFSET_MISMATCH');
    }
    expect(await offsetOf(api, address)).toBe(3);
  });

  it('is refused past the announced length, whether the request says so first or not', async () => {
    expect((await patch(api, address, 0, 'abcdefg')).outcome).toBe('413 UPLOAD_LENGTH_EXCEEDED');
    expect(await offsetOf(api, address)).toBe(0);
    const headers = continuation(0);
    const sent = openRequest(service.url, { verb: 'PATCH', path: address, key: tenant.key, headers, begin: 'abcdefg' });
    sent.finish();
    expect((await sent.answer).outcome).toBe('413 UPLOAD_LENGTH_EXCEEDED');
    const { outcome, headers: progress } = await head(api, address);
    expect([outcome, progress.get('upload-offset'), progress.get('slipway-file-id')]).toEqual(['200', '0', null]);
    expect(await contentOf(api, await patch(api, address, 0, 'uvwxyz'))).toBe('uvwxyz');
    await store.untilNothingIsLeft();
  });

  it('is refused once the upload is complete', async () => {
    await patch(api, address, 0, 'abcdef');
    expect((await patch(api, address, 6, '')).outcome).toBe('409 UPLOAD_COMPLETED');
    expect((await terminate(api, address)).outcome).toBe('409 UPLOAD_COMPLETED');
    expect((await head(api, address)).headers.get('upload-offset')).toBe('6');
  });

  it('advances with exactly one of two requests for the same bytes', async () => {
    for (let round = 0; round < 5; round += 1) {
      const fresh = await createdTus(api);
      const answers = await Promise.all(['abc', 'xyz'].map((content) => patch(api, fresh, 0, content)));
      expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['204', '409 UPLOAD_OFFSET_MISMATCH']);
      expect(await partSizesOf(service.database, fresh)).toEqual([3]);
    }
    await store.untilNothingIsLeft();
  });

  it('keeps what has arrived when the connection breaks', async () => {
    await store.untilNothingIsLeft();
    const headers = continuation(0, { 'content-length': '6' });
    const sent = openRequest(service.url, { verb: 'PATCH', path: address, key: tenant.key, headers, begin: 'abcd' });
    await eventually(async () => (await store.unkept()).length === 1);
    sent.abandon();
    await eventually(async () => (await offsetOf(api, address)) === 4);
    expect(await contentOf(api, await patch(api, address, 4, 'ef'))).toBe('abcdef');
  });

  it('keeps a large body in parts of 8 MiB', async () => {
    const content = Buffer.alloc(20 * MiB, 'tus ');
    const large = await createdTus(api, content.length, { filename: 'large.bin' });
    const answer = await patch(api, large, 0, content);
    expect(await partSizesOf(service.database, large)).toEqual([8 * MiB, 8 * MiB, 4 * MiB]);
    expect(await contentOf(api, answer)).toBe(content.toString());
  });
});
