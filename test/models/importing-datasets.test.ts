import { makeTenant } from '../support/actors.js';
import { tarGzOf, zipOf } from '../support/models/archives.js';
import { startService } from '../support/service.js';
import { importedFacts, importFault, type ModelUpload } from './models.js';

const service = await startService();
const { api } = await makeTenant(service);
afterAll(() => service.stop());

const factsOf = (upload: ModelUpload) => importedFacts(api, upload);
const faultOf = (upload: ModelUpload) => importFault(api, upload);

type Bytes = Uint8Array<ArrayBuffer>;
const bytes = (content: string): Bytes => Buffer.from(content);

describe('a dataset', () => {
  const importDataset = (content: string | Bytes, fileExtension: string) => ({
    fileContext: 'dataset',
    fileExtension,
    content: typeof content === 'string' ? bytes(content) : content,
  });

  it.each([
    ['json', '[{"a":[1,",]"]},{"b":"\\"}"}, 3 ]', 3],
    ['json', ' {"only":"one"}', 1],
    ['jsonl', '{"a":1}\n\n{"a":2}\r\n[3]', 3],
    ['csv', 'name,said\nAda,"one, ""two""\nthree"\nBob,', 2],
    ['txt', 'one\ntwo\n\nthree', 3],
  ])('of %s is counted: %s', async (extension, content, records) => {
    expect(await factsOf(importDataset(content, extension))).toEqual({ kind: 'dataset', format: 'dataset', records });
  });

  it.each([
    ['lines', `said\n"${'\n'.repeat(400_000)}"`],
    ['characters', `said\n"${'a'.repeat(12_000_000)}"`],
  ])('of csv may have a cell of many %s', async (_, content) => {
    expect(await factsOf(importDataset(content, 'csv'))).toMatchObject({ records: 1 });
  });

  it('has lines of up to 16 MiB, and none that are much longer', async () => {
    const longest = 'a'.repeat(16 * 1024 * 1024);
    expect(await factsOf(importDataset(`one\n${longest}\r\nthree`, 'txt'))).toMatchObject({ records: 3 });
    expect(await faultOf(importDataset(`one\n${longest}${'a'.repeat(4_000_000)}\n`, 'txt'))).toBe('DATASET_INVALID');
  });

  it('may be an archive with files that macOS adds', async () => {
    const added = { '__MACOSX/a/._b.csv': 'Mac OS X', 'a/._b.csv': '', 'a/.DS_Store': '' };
    for (const [extension, pack] of [
      ['gz', tarGzOf],
      ['zip', zipOf],
    ] as const) {
      const content = await pack({ ...added, 'a/b.csv': 'x\n1' });
      expect(await factsOf(importDataset(content, extension))).toMatchObject({ records: 1, files: 1 });
    }
  });

  it('may be an archive of such files', async () => {
    const content = await tarGzOf({ 'a.jsonl': '{}\n{}', 'b/c.csv': 'x\n1', 'README.md': '# Data' });
    expect(await factsOf(importDataset(content, 'gz'))).toMatchObject({ records: 3, files: 2 });
  });

  it.each([
    ['json', '[{"a":1},{"a":]', 'DATASET_INVALID'],
    ['json', '[1,2] and more', 'DATASET_INVALID'],
    ['json', '[1,', 'DATASET_INVALID'],
    ['json', '[]', 'DATASET_EMPTY'],
    ['json', 'true', 'DATASET_INVALID'],
    ['jsonl', '{"a":1}\n{"a":', 'DATASET_INVALID'],
    ['csv', 'a,b\n1,2,3', 'DATASET_INVALID'],
    ['csv', 'a,b\n"1,2', 'DATASET_INVALID'],
    ['csv', 'a,b', 'DATASET_EMPTY'],
    ['txt', '\n\n', 'DATASET_EMPTY'],
  ])('of %s that is %s is refused with %s', async (extension, content, code) => {
    expect(await faultOf(importDataset(content, extension))).toBe(code);
  });

  it('that is not a text is refused', async () => {
    expect(await faultOf(importDataset(Buffer.from([0x61, 0xff, 0xfe, 0x0a]), 'txt'))).toBe('DATASET_INVALID');
  });

  it('may not contain other files', async () => {
    expect(await faultOf(importDataset(await zipOf({ 'run.sh': 'x' }), 'zip'))).toBe('DATASET_INVALID');
  });
});
