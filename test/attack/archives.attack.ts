import { readFileSync } from 'node:fs';
import { importModel, importOf, type ModelUpload } from '../models/models.js';
import { makeTenant } from '../support/actors.js';
import { dice } from '../support/dice.js';
import { foldersInTarGz, renamedInZip, tarGzOf, tarOf, zipOf } from '../support/models/archives.js';
import { huggingFaceFolder, safetensors } from '../support/models/safetensors.js';
import { tinyModel } from '../support/models/tiny-model.js';
import { forEachOf, report, SLACK, startAttacked } from './attacked.js';

type Bytes = Buffer<ArrayBuffer>;

const DAMAGED = 60;
const AT_ONCE = 4;
const MiB = 2 ** 20;
const WITHIN_MS = 20_000 * SLACK;
/** The memory that an import may use: some blocks of the stream, and the headers, which it reads completely. */
const MOST_MEMORY_MIB = 512;

const service = await startAttacked({ MODEL_HOST: 'none' });
const { api } = await makeTenant(service);
const memoryBefore = mostMemoryMiB();
afterAll(() => service.stop());
afterEach(() => service.expectLive());

const whole = tinyModel();
const folder = huggingFaceFolder();
const GOOD: Record<string, [extension: string, content: Bytes]> = {
  GGUF: ['gguf', whole],
  safetensors: ['safetensors', safetensors()],
  tar: ['tar', await tarOf(folder)],
  'tar.gz': ['tgz', await tarGzOf(folder)],
  zip: ['zip', await zipOf(folder)],
  'zip of stored files': ['zip', await zipOf({ 'a.gguf': whole }, { compress: false })],
};

it.each(Object.entries(GOOD))('takes a good %s', async (_, [fileExtension, content]) => {
  expect((await importOf(api, { content, fileExtension })).status).toBe('SUCCESS');
});

describe.each(Object.entries(GOOD))('a damaged %s', (format, [fileExtension, content]) => {
  it(`is imported or refused with a reason, ${DAMAGED} times`, async () => {
    const outcomes = new Map<string, number>();
    await forEachOf(
      Array.from({ length: DAMAGED }, (_, at) => at + 1),
      AT_ONCE,
      async (seed) => {
        const outcome = await outcomeOf({ content: damaged(content, seed), fileExtension });
        expect([seed, outcome]).toEqual([seed, expect.stringMatching(/^(SUCCESS|(MODEL|ARCHIVE|ADAPTER)_[A-Z_]+)$/)]);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      },
    );
    report(`Damaged ${format}`, JSON.stringify(Object.fromEntries(outcomes)));
  });
});

const climbing = (name: string) => tarOf({ [name]: '{}' });
const linking = (linkname: string) => tarOf(folder, [{ name: 'bert/a.gguf', type: 'symlink', linkname }]);
const zipNamed = async (name: string) =>
  renamedInZip(await zipOf({ [`${'a'.repeat(name.length)}`]: '{}' }), 'a'.repeat(name.length), name);

it.each<[string, string, () => Promise<Bytes>]>([
  ['a tar that climbs', 'tar', () => climbing('../../../../tmp/climbed')],
  ['a tar that climbs inside', 'tar', () => climbing('a/../../climbed')],
  ['a tar with a path of the root', 'tar', () => climbing('/tmp/climbed')],
  ['a zip that climbs', 'zip', () => zipNamed('../../climbed')],
  ['a zip with a path of the root', 'zip', () => zipNamed('/tmp/climbed.json')],
  ['a zip with a path of Windows', 'zip', () => zipNamed('C:\\climbed.json')],
  ['a zip that climbs as Windows does', 'zip', () => zipNamed('..\\..\\climbed.json')],
  ['a tar with a link to a file', 'tar', () => linking('/etc/passwd')],
  ['a tar with a link to a folder above', 'tar', () => linking('../..')],
  ['a zip with a link', 'zip', () => zipOf({ 'config.json': '/etc/passwd' }, { mode: 0o120777 })],
  ['a zip with a device', 'zip', () => zipOf({ 'config.json': '' }, { mode: 0o020666 })],
  ['a tar.gz bomb', 'tgz', () => tarGzOf({ 'model.bin': Buffer.alloc(200 * MiB) })],
  ['a zip bomb', 'zip', () => zipOf({ 'model.bin': Buffer.alloc(200 * MiB) })],
  ['a tar.gz of folders and nothing else', 'tgz', () => foldersInTarGz(100_001)],
  [
    'a zip of entries that overlap',
    'zip',
    async () => overlapping(await zipOf({ 'a.bin': Buffer.alloc(30 * MiB) }), 200),
  ],
  [
    'a zip whose entry claims to be small',
    'zip',
    async () => claiming(await zipOf({ 'a.bin': Buffer.alloc(80 * MiB) }), 10),
  ],
  ['a zip whose entry claims to be huge', 'zip', async () => claiming(await zipOf({ 'a.bin': 'x' }), 0xffff_fff0)],
])('refuses %s, and reveals nothing about this machine', async (_, fileExtension, make) => {
  const { status, error } = await importOf(api, { content: await make(), fileExtension }, WITHIN_MS);
  expect(status).toBe('FAILED');
  expect(error!.code).toMatch(/^(ARCHIVE|MODEL)_[A-Z_]+$/);
  expect(error!.message).not.toMatch(/root:|node_modules|slipway-test/);
});

it('imports a good model afterwards, with about as much memory as before', async () => {
  await importModel(api);
  const most = mostMemoryMiB();
  report('Memory at most, before and after', `${memoryBefore} MiB, ${most} MiB`);
  expect(most - memoryBefore).toBeLessThan(MOST_MEMORY_MIB);
});

async function outcomeOf(input: ModelUpload): Promise<string> {
  const { status, error } = await importOf(api, input, WITHIN_MS);
  return error?.code ?? status;
}

/** Damages the bytes, mostly near their beginning or end, where formats have their tables. */
function damaged(content: Bytes, seed: number): Bytes {
  const roll = dice(seed);
  const near = [8, 64, 600, 2_000, content.length];
  const place = () => {
    const from = Math.floor((roll(RANDOM) * Math.min(roll(near), content.length)) / RANDOM.length);
    return roll([from, from, content.length - 1 - from]);
  };
  let bytes: Bytes = Buffer.from(content);
  for (let times = roll([1, 1, 2, 8]); times > 0 && bytes.length > 16; times -= 1) {
    const at = Math.min(place(), bytes.length - 9);
    switch (roll(['bit', 'byte', 'length', 'cut', 'twice', 'hole'])) {
      case 'bit':
        bytes[at]! ^= 1 << roll([0, 3, 7]);
        break;
      case 'byte':
        bytes[at] = roll([0, 0xff, 0x7f, 0x80, 0x2f]);
        break;
      case 'length':
        bytes.writeBigUInt64LE(
          roll([0n, 1n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]),
          Math.max(0, at),
        );
        break;
      case 'cut':
        bytes = bytes.subarray(0, Math.max(1, at));
        break;
      case 'twice':
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - 64))]);
        break;
      default:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 8)]);
    }
  }
  return bytes;
}

const RANDOM = Array.from({ length: 1_000 }, (_, at) => at);
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;
const END = 0x06054b50;
const DIRECTORY_ENTRY_BYTES = 46;

/** Repeats the directory entry of a ZIP under other names. All of them refer to the same content. */
function overlapping(zip: Bytes, times: number): Bytes {
  const at = placeOf(zip, DIRECTORY_ENTRY);
  const end = placeOf(zip, END);
  const entries = Array.from({ length: times }, (_, count) => {
    const entry = Buffer.from(zip.subarray(at, end));
    entry.write(String(count).padStart(5, '0'), DIRECTORY_ENTRY_BYTES, 'latin1');
    return entry;
  });
  const tail = Buffer.from(zip.subarray(end));
  tail.writeUInt16LE(times, 8);
  tail.writeUInt16LE(times, 10);
  tail.writeUInt32LE((end - at) * times, 12);
  return Buffer.concat([zip.subarray(0, at), ...entries, tail]);
}

/** Sets the size of the only entry of a ZIP, in both places that declare it. */
function claiming(zip: Bytes, size: number): Bytes {
  const lying = Buffer.from(zip);
  lying.writeUInt32LE(size, placeOf(zip, DIRECTORY_ENTRY) + 24);
  lying.writeUInt32LE(size, placeOf(zip, LOCAL_ENTRY) + 22);
  return lying;
}

function placeOf(zip: Bytes, signature: number): number {
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(signature);
  return zip.indexOf(mark);
}

/** Returns the peak memory of the attacked process, as Linux reports it. On other systems, it returns 0. */
function mostMemoryMiB(): number {
  try {
    const status = readFileSync(`/proc/${service.process.pid}/status`, 'utf8');
    return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1024);
  } catch {
    return 0;
  }
}
