import { makeTenant, type Tenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { openRequest } from '../support/wire.js';
import { Store } from './store.js';
import { checksum, continuation, createdTus, offsetOf, patch } from './tus.js';

const service = await startService();
const store = new Store(service.settings, service.database);
let tenant: Tenant;
let api: Tenant['api'];
beforeEach(async () => ({ api } = tenant = await makeTenant(service)));
afterAll(() => service.stop());

const MiB = 1024 * 1024;

describe('a checksum', () => {
  it.each(['sha1', 'sha256'])('of %s keeps all bytes of a request or none', async (algorithm) => {
    const address = await createdTus(api);
    expect((await patch(api, address, 0, 'abc', checksum('abd', algorithm))).outcome).toBe(
      '460 UPLOAD_CHECKSUM_MISMATCH',
    );
    expect(await offsetOf(api, address)).toBe(0);
    expect((await patch(api, address, 0, 'abc', checksum('abc', algorithm))).outcome).toBe('204');
    expect(await offsetOf(api, address)).toBe(3);
    await store.untilNothingIsLeft();
  });

  it('keeps nothing when the connection breaks', async () => {
    const address = await createdTus(api);
    const headers = continuation(0, { 'content-length': '6', ...checksum('abcdef') });
    const sent = openRequest(service.url, { verb: 'PATCH', path: address, key: tenant.key, headers, begin: 'abcd' });
    await eventually(async () => (await store.unkept()).length === 1);
    sent.abandon();
    await eventually(async () => (await store.unkept()).length === 0);
    expect(await offsetOf(api, address)).toBe(0);
  });

  it('is refused if it is none, or is of a large request', async () => {
    const content = new Uint8Array(25 * MiB + 1);
    const address = await createdTus(api, 2 * content.length, { filename: 'large.bin' });
    const send = (value: string) => patch(api, address, 0, 'abc', { 'upload-checksum': value });
    expect((await send('md5 kAFQmDzST7DWlj99KOF/cg==')).outcome).toBe('400 CHECKSUM_ALGORITHM_UNKNOWN');
    for (const odd of ['sha1', 'sha1 ***', 'sha1 AAAA AAAA']) {
      expect(await send(odd)).toMatchObject(faultsAt('Upload-Checksum'));
    }
    expect((await patch(api, address, 0, content, checksum(content))).outcome).toBe('413 CHUNK_TOO_LARGE');
    const headers = { ...continuation(0), ...checksum(content), 'x-api-key': tenant.key };
    const sent = openRequest(service.url, { verb: 'PATCH', path: address, headers, begin: 'x'.repeat(content.length) });
    sent.finish();
    expect((await sent.answer).outcome).toBe('413 CHUNK_TOO_LARGE');
    expect(await offsetOf(api, address)).toBe(0);
  });
});
