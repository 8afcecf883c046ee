import { makeTenant, type Tenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';
import { CONTENTS, DATA, EVERYWHERE, UNSNIFFED } from './contents.js';
import { FILES, open, upload } from './files.js';
import { Store } from './store.js';

const service = await startService();
const store = new Store(service.settings, service.database);
let tenant: Tenant;
beforeEach(async () => (tenant = await makeTenant(service)));
afterAll(() => service.stop());

const MiB = 1024 * 1024;

describe('a file sent in one request', () => {
  it('is answered with its id and a link that opens it', async () => {
    const answer = await upload(tenant.api, { name: 'orders.csv', content: 'a,b\n1,2\n' });
    expect(answer.outcome).toBe('201');
    expect(Object.keys(answer.body).sort()).toEqual(['fileId', 'url']);
    expect(answer.body.fileId).toMatch(/^f-[0-9A-Za-z]{22}$/);

    const { status, headers, bytes } = await open(answer.body.url);
    expect(status).toBe(200);
    expect(bytes.toString()).toBe('a,b\n1,2\n');
    expect(headers.get('content-disposition')).toBe('attachment; filename=orders.csv');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  });

  it('is downloaded unchanged, up to one byte less than 25 MiB', async () => {
    const content = Buffer.alloc(25 * MiB - 1, 'abcdefghijklmnopq');
    const answer = await upload(tenant.api, { name: 'large.bin', content });
    expect(answer.outcome).toBe('201');
    expect((await open(answer.body.url)).bytes.equals(content)).toBe(true);
  });

  it('is refused from 25 MiB on with the path for chunks, and leaves nothing', async () => {
    for (const size of [25 * MiB, 26 * MiB]) {
      const answer = await upload(tenant.api, { name: 'large.bin', content: new Uint8Array(size) });
      expect(answer.outcome).toBe('413 FILE_TOO_LARGE');
      expect(answer.text).toContain('/api/public/files/session/start');
    }
    await store.untilNothingIsLeft();
  });

  it('may be empty if its extension allows any content', async () => {
    const { body } = await upload(tenant.api, { name: 'empty.txt', content: '' });
    const { status, bytes, headers } = await open(body.url);
    expect([status, bytes.length, headers.get('content-length')]).toEqual([200, 0, '0']);
    expect((await upload(tenant.api, { name: 'empty.png', content: '' })).outcome).toBe('400 FILE_CONTENT_MISMATCH');
  });

  it('is stored once for an Idempotency-Key, which another content cannot reuse', async () => {
    const headers = { 'idempotency-key': 'upload-1' };
    const first = await upload(tenant.api, { headers });
    const again = await upload(tenant.api, { headers });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const other = await upload(tenant.api, { headers, content: 'Other' });
    expect(other.outcome).toBe('422 IDEMPOTENCY_KEY_REUSED');
    await store.untilNothingIsLeft();
    const rows = await service.database.rows('select from file where project_id = $1', [tenant.projectId]);
    expect(rows).toHaveLength(1);
  });
});

describe('the extension', () => {
  it.each(EVERYWHERE)('.%s is accepted in every context, in upper case too', async (extension) => {
    const content = CONTENTS[extension]!;
    for (const [fileContext, name] of [
      ['anything', `a.${extension}`],
      ['bulkImport', `a.${extension.toUpperCase()}`],
    ] as const) {
      const { outcome, text } = await upload(tenant.api, { fileContext, name, content });
      expect({ outcome, text }).toMatchObject({ outcome: '201' });
    }
  });

  it.each(DATA)('.%s is accepted only in the contexts for data', async (extension) => {
    const sent = { name: `a.${extension}`, content: CONTENTS[extension]! };
    for (const fileContext of ['bulkImport', 'tool', 'model', 'dataset']) {
      expect((await upload(tenant.api, { ...sent, fileContext })).outcome).toBe('201');
    }
    for (const fileContext of ['anything', 'BulkImport', 'bulkimport', 'tools']) {
      const answer = await upload(tenant.api, { ...sent, fileContext });
      expect(answer.outcome).toBe('400 UNSUPPORTED_FILE_TYPE');
      expect(answer.text).toContain(EVERYWHERE.join(', '));
    }
  });

  it.each(['a.exe', 'a', 'a.', '.', 'png', 'a.png.exe', 'a.xhtml', 'a.svg', 'a.json5', 'a.png ', 'a. png', 'a.çpng'])(
    'of the name %j is checked',
    async (name) => {
      const { outcome } = await upload(tenant.api, { name, content: CONTENTS.png! });
      // A name that consists of dots is invalid, and spaces around a name are removed.
      const expected = name === '.' ? '400 VALIDATION_ERROR' : name === 'a.png ' ? '201' : '400 UNSUPPORTED_FILE_TYPE';
      expect(outcome).toBe(expected);
    },
  );

  it('is the last one of several', async () => {
    expect((await upload(tenant.api, { name: 'a.exe.png', content: CONTENTS.png! })).outcome).toBe('201');
    expect((await upload(tenant.api, { name: 'a.tar.gz', content: CONTENTS.gz! })).outcome).toBe('201');
  });
});

describe('a content that does not match its extension', () => {
  const sniffed = Object.keys(CONTENTS).filter((extension) => !UNSNIFFED.includes(extension));
  const mismatchesFor = (extension: string) =>
    ['csv', 'html', 'htm'].includes(extension)
      ? [CONTENTS.png!]
      : [Buffer.from('<script>alert(1)</script>\0'), Buffer.alloc(5000)];

  it.each(sniffed)('is refused as .%s and leaves nothing', async (extension) => {
    for (const content of mismatchesFor(extension)) {
      const answer = await upload(tenant.api, { name: `a.${extension}`, content });
      expect(answer.outcome).toBe('400 FILE_CONTENT_MISMATCH');
    }
    await store.untilNothingIsLeft();
  });

  it('is accepted as .mle, .txt, .env and .bin', async () => {
    for (const extension of UNSNIFFED) {
      expect((await upload(tenant.api, { name: `a.${extension}`, content: CONTENTS.png! })).outcome).toBe('201');
    }
  });

  it('is refused in every context, because no import checks a file that was sent in one request', async () => {
    for (const fileContext of ['bulkImport', 'tool', 'model', 'dataset']) {
      const answer = await upload(tenant.api, { fileContext, name: 'a.gguf', content: 'no model' });
      expect(answer.outcome).toBe('400 FILE_CONTENT_MISMATCH');
    }
  });
});

describe('the form', () => {
  const file = () => new File(['x'], 'a.txt');

  it('has a file, a context, and nothing else', async () => {
    const send = (form: Record<string, string | File>) => tenant.api.send('POST', FILES, { form });
    expect(await send({ fileContext: 'x' })).toMatchObject(faultsAt('file'));
    expect(await send({ file: file() })).toMatchObject(faultsAt('fileContext'));
    expect(await send({ file: 'text', fileContext: 'x' })).toMatchObject(faultsAt('file'));
    expect(await send({ other: file(), fileContext: 'x' })).toMatchObject(faultsAt('other'));
    expect(await send({ file: file(), fileContext: 'x', colour: 'red' })).toMatchObject(faultsAt('colour'));
    expect(await send({ file: file(), fileContext: '' })).toMatchObject(faultsAt('fileContext'));
    expect(await send({ file: file(), fileContext: 'x'.repeat(65) })).toMatchObject(faultsAt('fileContext'));
    expect(await send({ file: file(), fileContext: 'a\0b' })).toMatchObject(faultsAt('fileContext'));
    await store.untilNothingIsLeft();
  });

  it('has exactly one file', async () => {
    const form = new FormData();
    form.append('fileContext', 'bulkImport');
    for (const _time of [1, 2]) form.append('file', file());
    const headers = { 'x-api-key': tenant.key };
    const response = await fetch(service.url + FILES, { method: 'POST', body: form, headers });
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('send one file, as the field file'),
    ]);
    await store.untilNothingIsLeft();
  });

  it('may have its fields in any order', async () => {
    const form = { file: new File(['x'], 'a.txt'), fileContext: 'bulkImport' };
    expect((await tenant.api.send('POST', FILES, { form })).outcome).toBe('201');
  });
});

describe('a name', () => {
  it.each([
    ['../../etc/passwd.txt', 'passwd.txt'],
    ['C:\\Users\\me\\a.txt', 'a.txt'],
    ['über "quoted"; 日本.txt', 'über "quoted"; 日本.txt'],
    ['e\u0301.txt', 'é.txt'],
  ])('%j is shown as %j and is no path', async (name, shown) => {
    const { body, outcome } = await upload(tenant.api, { name });
    expect(outcome).toBe('201');
    const [row] = await service.database.rows<{ name: string }>('select name from file where id = $1', [body.fileId]);
    expect(row?.name).toBe(shown);
    const { headers, bytes } = await open(body.url);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename=/);
    expect(bytes.toString()).toBe('Hello, file');
  });

  it.each(['a\r\nb.txt', '\u202etxt.exe.txt', 'a\u200b.txt', `${'x'.repeat(4096)}.txt`])(
    '%j is refused',
    async (name) => {
      const answer = await upload(tenant.api, { name });
      expect(answer).toMatchObject(faultsAt('file.name'));
      await store.untilNothingIsLeft();
    },
  );
});
