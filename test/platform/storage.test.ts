import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { newId } from '../../src/kernel/ids.js';
import { readSettings } from '../../src/platform/config/settings.js';
import { DiskStorages } from '../../src/platform/storage/disk.js';
import { S3Storages } from '../../src/platform/storage/s3.js';
import { startS3 } from '../support/s3-server.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';

const s3 = await startS3();
const folder = await mkdtemp(join(tmpdir(), 'slipway-store-'));
afterAll(async () => {
  await s3.stop();
  await rm(folder, { recursive: true });
});

const inBucket = (changes: SettingsOfTest = {}) => {
  const settings = readSettings({ ...settingsFor('postgres://x/y'), ...s3.settings, ...changes });
  return new S3Storages(settings).open(settings.STORAGE_URL!);
};
const disk = new DiskStorages().open(pathToFileURL(folder));
const bucket = await inBucket();
await Promise.all([disk.location(), bucket.location()]);

async function namesOnDisk(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
const namesInBucket = async () => [...s3.objects.keys(), ...s3.uploads()].map((key) => key.replace('folder/', ''));

const MiB = 1024 * 1024;

async function* pieces(content: Buffer, size = 100_000): AsyncGenerator<Buffer> {
  for (let from = 0; from < content.length; from += size) yield content.subarray(from, from + size);
}

async function* failing(content: Buffer): AsyncGenerator<Buffer> {
  yield* pieces(content);
  throw new Error('The client closed the connection');
}

describe.each([
  { name: 'a folder', storage: disk, names: namesOnDisk },
  { name: 'a bucket', storage: bucket, names: namesInBucket },
])('$name', ({ storage, names }) => {
  const read = async (name: string, start: number, end: number) => {
    const parts: Buffer[] = [];
    for await (const piece of await storage.read(name, { start, end })) parts.push(piece as Buffer);
    return Buffer.concat(parts);
  };

  it.each([0, 1, 100_000, 8 * MiB - 1, 8 * MiB, 8 * MiB + 1, 20 * MiB])('returns %d bytes unchanged', async (size) => {
    const content = Buffer.alloc(size, 'abcdefghijk');
    const name = newId('storedObject');
    await storage.write(name, pieces(content));
    if (size === 0) return expect(await names()).toContain(name);
    expect((await read(name, 0, size - 1)).equals(content)).toBe(true);
    expect((await read(name, Math.floor(size / 2), size - 1)).equals(content.subarray(Math.floor(size / 2)))).toBe(
      true,
    );
    expect((await read(name, 0, 0)).toString()).toBe('a');
  });

  it.each([10, 20 * MiB])('keeps nothing of a content that failed after %d bytes', async (size) => {
    const name = newId('storedObject');
    await expect(storage.write(name, failing(Buffer.alloc(size)))).rejects.toThrow('The client closed the connection');
    expect(await names()).not.toContain(name);
  });

  it('removes a content, and accepts the removal of a missing one', async () => {
    const name = newId('storedObject');
    await storage.write(name, pieces(Buffer.from('x')));
    await storage.remove(name);
    expect(await names()).not.toContain(name);
    await expect(read(name, 0, 0)).rejects.toThrow();
    await storage.remove(name);
  });

  it('is the same location for all processes, also when they start at the same moment', async () => {
    const locations = await Promise.all(Array.from({ length: 5 }, () => storage.location()));
    expect(new Set(locations).size).toBe(1);
    expect(locations[0]).toMatch(/^(file|s3):ob-/);
  });

  it('reports that it can be used', async () => {
    await expect(storage.check()).resolves.toBeUndefined();
  });
});

it('removes the parts that a dead process left in a bucket', async () => {
  const name = newId('storedObject');
  s3.failing = { verb: 'DELETE', status: 403, code: 'AccessDenied' };
  await expect(bucket.write(name, failing(Buffer.alloc(20 * MiB)))).rejects.toThrow('The client closed the connection');
  s3.failing = undefined;
  expect(s3.uploads()).toEqual([`folder/${name}`]);
  await bucket.remove(name);
  expect(s3.uploads()).toEqual([]);
});

it('is refused by a bucket with another secret', async () => {
  const stranger = await inBucket({ STORAGE_SECRET_KEY: 'another' });
  await expect(stranger.check()).rejects.toThrow();
  await expect(stranger.write(newId('storedObject'), pieces(Buffer.from('x')))).rejects.toMatchObject({
    name: 'SignatureDoesNotMatch',
  });
});

it('cannot be used if its folder or its bucket is missing', async () => {
  const gone = new DiskStorages().open(new URL('file:///nowhere/at/all'));
  await expect(gone.check()).rejects.toThrow(/ENOENT/);
  const other = await inBucket({ STORAGE_URL: s3.settings.STORAGE_URL!.replace('bucket', 'other') });
  await expect(other.check()).rejects.toThrow();
});

it.each([
  ['s3:///folder', 'must have a bucket after s3://'],
  ['s3://bucket?zone=x', 'has the unknown parameter zone'],
  ['s3://bucket?endpoint=elsewhere', 'must have an http:// or https:// address as its endpoint'],
])('refuses the address %s with a sentence', async (STORAGE_URL, sentence) => {
  await expect(inBucket({ STORAGE_URL })).rejects.toThrow(sentence);
});

it('refuses an address with more than a folder', () => {
  for (const address of ['file://canary/folder', 'file:/folder?mode=x'])
    expect(() => new DiskStorages().open(new URL(address))).toThrow('must have only a folder after file:');
});
