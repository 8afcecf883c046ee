import { makeTenant, type Tenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { openRequest } from '../support/wire.js';
import { reservedBytes } from './files.js';
import { Store } from './store.js';
import {
  checksum,
  contentOf,
  createdTus,
  createdWith,
  createTus,
  creation,
  head,
  OFFSET_STREAM,
  offsetOf,
  patch,
  terminate,
  TUS_ROUTE,
} from './tus.js';

const service = await startService();
const store = new Store(service.settings, service.database);
let tenant: Tenant;
let api: Tenant['api'];
beforeEach(async () => ({ api } = tenant = await makeTenant(service)));
afterAll(() => service.stop());

const MiB = 1024 * 1024;

describe('creating', () => {
  it.each([
    ['no length', { 'upload-length': '' }, 'Upload-Length'],
    ['a length below zero', { 'upload-length': '-1' }, 'Upload-Length'],
    ['no bytes', { 'upload-length': '0' }, 'Upload-Length'],
    ['a length with a fraction', { 'upload-length': '1.5' }, 'Upload-Length'],
    ['a length to follow', { 'upload-defer-length': '1' }, 'Upload-Defer-Length'],
    ['no name', { 'upload-metadata': '' }, 'Upload-Metadata.filename'],
    ['a value that is not base64', { 'upload-metadata': 'filename YS50eHQ=,a %%%' }, 'Upload-Metadata'],
    ['a value that is not UTF-8', { 'upload-metadata': 'filename YS50eHQ=,a /w==' }, 'Upload-Metadata'],
    ['a key twice', { 'upload-metadata': 'filename YS50eHQ=,filename YS50eHQ=' }, 'Upload-Metadata'],
    ['three parts', { 'upload-metadata': 'filename YS50eHQ= YS50eHQ=,a' }, 'Upload-Metadata,Upload-Metadata.filename'],
    ['long metadata', { 'upload-metadata': `a ${'A'.repeat(9000)}` }, 'Upload-Metadata,Upload-Metadata.filename'],
    ['an odd context', { 'upload-metadata': 'filename YS50eHQ=,fileContext ' }, 'Upload-Metadata.fileContext'],
    ['an adapter that is none', { 'upload-metadata': 'filename YS50eHQ=,isAdapter dHJ1ZQ==' }, 'isAdapter'],
  ])('is refused with %s', async (_, headers, at) => {
    expect(await createTus(api, { ...creation(), ...headers })).toMatchObject(faultsAt(...at.split(',')));
  });

  it('is refused with an extension that the context does not have', async () => {
    const other = createTus(api, creation(6, { filename: 'a.csv', fileContext: 'chat' }));
    expect((await other).outcome).toBe('400 UNSUPPORTED_FILE_TYPE');
    expect((await createTus(api, creation(6, { filename: 'none' }))).outcome).toBe('400 UNSUPPORTED_FILE_TYPE');
  });

  it('is refused above the limit, which the answer has', async () => {
    const answer = await createTus(api, creation(50 * 1024 * MiB + 1));
    expect(answer.outcome).toBe('413 UPLOAD_TOO_LARGE');
    expect(answer.headers.get('tus-max-size')).toBe(String(50 * 1024 * MiB));
  });

  it('is refused in another version, and without one', async () => {
    for (const version of ['0.2.2', '']) {
      const answer = await createTus(api, { ...creation(), 'tus-resumable': version });
      expect(answer.outcome).toBe('412 TUS_VERSION_UNSUPPORTED');
      expect(answer.headers.get('tus-version')).toBe('1.0.0');
    }
    const address = await createdTus(api);
    const other = { 'tus-resumable': '2.0.0' };
    expect((await head(api, address, other)).outcome).toBe('412 TUS_VERSION_UNSUPPORTED');
    expect((await terminate(api, address, other)).outcome).toBe('412 TUS_VERSION_UNSUPPORTED');
    expect((await patch(api, address, 0, 'a', other)).outcome).toBe('412 TUS_VERSION_UNSUPPORTED');
  });
});

describe('creating with the first bytes', () => {
  const uploads = () =>
    service.database.rows<{ id: string }>('select id from upload_session where project_id = $1', [tenant.projectId]);

  it('keeps them, and the upload continues after them', async () => {
    const created = await createdWith(api, 'abc');
    expect(created.outcome).toBe('201');
    expect(created.headers.get('upload-offset')).toBe('3');
    const address = created.headers.get('location')!;
    expect(await offsetOf(api, address)).toBe(3);
    expect(await contentOf(api, await patch(api, address, 3, 'def'))).toBe('abcdef');
  });

  it('completes the upload if they are all', async () => {
    const created = await createdWith(api, 'abcdef', checksum('abcdef'));
    expect(created.outcome).toBe('201');
    expect(created.headers.get('upload-offset')).toBe('6');
    expect(await contentOf(api, created)).toBe('abcdef');
  });

  it.each([
    ['a checksum of others', '460 UPLOAD_CHECKSUM_MISMATCH', 'abc', checksum('abd')],
    ['more than are announced', '413 UPLOAD_LENGTH_EXCEEDED', 'abcdefg', {}],
    ['another type', '400 FILE_CONTENT_MISMATCH', 'no png', creation(6, { filename: 'a.png' })],
    ['another media type', '415 UNSUPPORTED_MEDIA_TYPE', 'abc', { 'content-type': 'text/plain' }],
    ['no length', '400 VALIDATION_ERROR', 'abc', { 'upload-length': '' }],
  ])('creates nothing if they are refused: %s', async (_, outcome, content, headers) => {
    expect((await createdWith(api, content, headers)).outcome).toBe(outcome);
    expect(await reservedBytes(service.database, tenant)).toBe(0);
    expect(await uploads()).toEqual([]);
  });

  it('says why they were refused, even if the upload has been terminated meanwhile', async () => {
    const length = { 'content-type': OFFSET_STREAM, 'content-length': '6' };
    const headers = { ...creation(), ...length, ...checksum('others') };
    const sent = openRequest(service.url, { verb: 'POST', path: TUS_ROUTE, key: tenant.key, headers, begin: 'abc' });
    const [created] = await eventually(uploads, ({ length: count }) => count === 1);
    expect((await terminate(api, `${TUS_ROUTE}/${created!.id}`)).outcome).toBe('204');
    sent.finish('def');
    expect((await sent.answer).outcome).toBe('460 UPLOAD_CHECKSUM_MISMATCH');
  });

  it('leaves nothing when the connection breaks, because the client has no address', async () => {
    const before = (await store.unkept()).length;
    const headers = { ...creation(), 'content-type': OFFSET_STREAM, 'content-length': '6' };
    const sent = openRequest(service.url, { verb: 'POST', path: TUS_ROUTE, key: tenant.key, headers, begin: 'abcd' });
    await eventually(async () => (await store.unkept()).length === before + 1);
    sent.abandon();
    await eventually(uploads, ({ length }) => length === 0);
    expect(await reservedBytes(service.database, tenant)).toBe(0);
  });
});
