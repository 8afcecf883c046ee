import { makeTenant } from '../support/actors.js';
import { foldersInTarGz, renamedInZip, tarGzOf, tarOf, zipOf } from '../support/models/archives.js';
import { f32, u32, writeGguf } from '../support/models/gguf-writer.js';
import { adapterFolder, fourNumbers, huggingFaceFolder, safetensors } from '../support/models/safetensors.js';
import { tinyAdapter } from '../support/models/tiny-adapter.js';
import { tinyModel, tinyParts } from '../support/models/tiny-model.js';
import { startService } from '../support/service.js';
import { importedFacts, importFault, importOf, read, type ModelUpload } from './models.js';

const service = await startService();
const { api } = await makeTenant(service);
afterAll(() => service.stop());

type Bytes = Uint8Array<ArrayBuffer>;
const bytes = (content: string): Bytes => Buffer.from(content);

const factsOf = (upload: ModelUpload) => importedFacts(api, upload);
const faultOf = (upload: ModelUpload) => importFault(api, upload);

describe('an import finds out what a file is', () => {
  it('from the header of a GGUF file', async () => {
    expect(await factsOf({ content: tinyModel({ name: 'Tiny one' }), chunks: 4 })).toEqual({
      kind: 'model',
      format: 'gguf',
      architecture: 'llama',
      contextLength: 4096,
      quantisation: 'F32',
      name: 'Tiny one',
      hasChatTemplate: false,
      parameters: 116_544,
    });
  });

  it('with the name of a GGUF file cut between two characters', async () => {
    const name = `${'a'.repeat(255)}😀b`;
    const kept = `${'a'.repeat(255)}…`;
    expect(await factsOf({ content: tinyModel({ name }) })).toMatchObject({ name: kept });
    const adapter = { content: tinyAdapter({ baseModel: name }), isAdapter: true };
    expect(await factsOf(adapter)).toMatchObject({ baseModel: kept });
  });

  it('with the model for which an adapter in GGUF was made', async () => {
    const facts = await factsOf({ content: tinyAdapter(), isAdapter: true });
    expect(facts).toMatchObject({ kind: 'adapter', baseModel: 'tiny', architecture: 'llama' });
  });

  it('from the header of a safetensors file', async () => {
    const facts = await factsOf({ content: safetensors(), fileExtension: 'safetensors' });
    expect(facts).toEqual({ kind: 'model', format: 'safetensors', parameters: 4, quantisation: 'F32' });
  });

  const BERT = {
    kind: 'model',
    format: 'huggingface',
    architecture: 'bert',
    contextLength: 512,
    parameters: 4,
    quantisation: 'F32',
    files: 4,
  };

  it.each([
    ['tar', tarOf],
    ['tar.gz', tarGzOf],
    ['zip', zipOf],
  ] as const)('from the config.json of a folder in %s', async (extension, pack) => {
    const content = await pack(huggingFaceFolder());
    expect(await factsOf({ content, fileExtension: extension.slice(-2) === 'gz' ? 'gz' : extension })).toEqual(BERT);
  });

  it('from the adapter_config.json of an adapter’s folder', async () => {
    const facts = await factsOf({ content: await zipOf(adapterFolder()), fileExtension: 'zip', isAdapter: true });
    expect(facts).toMatchObject({
      kind: 'adapter',
      architecture: 'LORA',
      baseModel: 'someone/bert',
      quantisation: 'F16',
    });
  });

  it('from the only GGUF file in an archive', async () => {
    const content = await tarGzOf({ './tiny/model.gguf': tinyModel(), './tiny/notes.txt': 'Notes' });
    expect(await factsOf({ content, fileExtension: 'tgz' })).toMatchObject({
      format: 'gguf',
      entry: 'tiny/model.gguf',
      files: 2,
    });
  });

  it('in an archive, whatever the case of its extension and beside the files that macOS adds', async () => {
    const content = await zipOf({ '__MACOSX/._Tiny.GGUF': 'Mac OS X', '._Tiny.GGUF': '', 'Tiny.GGUF': tinyModel() });
    const facts = await factsOf({ content, fileExtension: 'zip' });
    expect(facts).toMatchObject({ format: 'gguf', entry: 'Tiny.GGUF', files: 1 });
  });
});

const meta = (changes: NonNullable<Parameters<typeof tinyModel>[0]>['meta']) => tinyModel({ meta: changes! });
const whole = tinyModel();

/** Returns the model with another type of its first tensor. The type follows the name, a count and two dimensions. */
function typed(type: number): Bytes {
  const file = Buffer.from(whole);
  const name = file.indexOf('token_embd.weight');
  file.writeUInt32LE(type, name + 'token_embd.weight'.length + 4 + 16);
  return file;
}

function changed(at: number, value: bigint): Bytes {
  const file = Buffer.from(whole);
  file.writeBigUInt64LE(value, at);
  return file;
}

it.each<[string, string, Bytes]>([
  ['has another magic', 'MODEL_FILE_INVALID', bytes('GGML and more that is no model')],
  ['has two bytes', 'MODEL_FILE_INVALID', bytes('GG')],
  ['ends after the magic', 'MODEL_FILE_TRUNCATED', bytes('GGUF')],
  ['has an unknown version', 'MODEL_FILE_INVALID', writeGguf({ ...tinyParts(), version: 99 })],
  ['is cut in its header', 'MODEL_FILE_TRUNCATED', whole.subarray(0, 100)],
  ['is cut at half', 'MODEL_FILE_TRUNCATED', whole.subarray(0, whole.length / 2)],
  ['lacks its last 64 bytes', 'MODEL_FILE_TRUNCATED', whole.subarray(0, -64)],
  ['announces too many tensors', 'MODEL_FILE_INVALID', changed(8, 2n ** 60n)],
  ['announces too many members', 'MODEL_FILE_INVALID', changed(16, 2n ** 40n)],
  ['has a key without end', 'MODEL_FILE_INVALID', changed(24, 2n ** 50n)],
  ['has a tensor of an unknown type', 'MODEL_FILE_INVALID', typed(77)],
  ['has tensors in no blocks of their type', 'MODEL_FILE_INVALID', typed(12)],
  ['has no heads, which would end the engine', 'MODEL_FILE_INVALID', meta({ 'llama.attention.head_count': u32(0) })],
  ['has a wrong kind of number', 'MODEL_FILE_INVALID', meta({ 'llama.block_count': f32(Number.NaN) })],
  ['has no number', 'MODEL_FILE_INVALID', meta({ 'llama.attention.layer_norm_rms_epsilon': f32(Number.NaN) })],
  ['has an endless number', 'MODEL_FILE_INVALID', meta({ 'llama.rope.freq_base': f32(Number.POSITIVE_INFINITY) })],
  ['names no architecture', 'MODEL_FILE_INVALID', meta({ 'general.architecture': null })],
  ['is one part of three', 'MODEL_INCOMPLETE', meta({ 'split.count': u32(3) })],
  ['has no tensors', 'MODEL_FILE_INVALID', tinyModel({ tensors: () => [] })],
])('a GGUF file that %s is refused with %s', async (_, code, content) => {
  expect(await faultOf({ content })).toBe(code);
});

const A_TENSOR = JSON.stringify(fourNumbers());
const noNumbers = JSON.stringify(fourNumbers({ shape: [0], data_offsets: [0, 0] }));
const manyTensors = (count: number) =>
  `{${Array.from({ length: count }, (_, at) => `"${at}":${noNumbers}`).join(',')}}`;

it.each<[string, string, Bytes]>([
  ['a header past its end', 'MODEL_FILE_TRUNCATED', safetensors(undefined, { headerBytes: 5_000 })],
  ['an endless header', 'MODEL_FILE_INVALID', safetensors(undefined, { headerBytes: 2 ** 40 })],
  ['a header that is not JSON', 'MODEL_FILE_INVALID', safetensors('{"weight": ')],
  ['a tensor past its end', 'MODEL_FILE_TRUNCATED', safetensors(undefined, { dataBytes: 8 })],
  ['bytes that no tensor has', 'MODEL_FILE_INVALID', safetensors(undefined, { dataBytes: 32 })],
  ['a shape that does not fit', 'MODEL_FILE_INVALID', safetensors({ weight: fourNumbers({ shape: [3, 2] }) })],
  ['an unknown type', 'MODEL_FILE_INVALID', safetensors({ weight: fourNumbers({ dtype: 'F37' }) })],
  ['no tensor', 'MODEL_FILE_INVALID', safetensors({}, { dataBytes: 0 })],
  ['a tensor twice', 'MODEL_FILE_INVALID', safetensors(`{"a":${A_TENSOR},"\\u0061":${A_TENSOR}}`)],
  ['an invalid member', 'MODEL_FILE_INVALID', safetensors(`{"a":${A_TENSOR},}x{}`)],
  ['very many tensors', 'MODEL_FILE_INVALID', safetensors(manyTensors(262_145), { dataBytes: 0 })],
])('a safetensors file with %s is refused with %s', async (_, code, content) => {
  expect(await faultOf({ content, fileExtension: 'safetensors' })).toBe(code);
});

const folder = huggingFaceFolder();
const without = (name: string) => Object.fromEntries(Object.entries(folder).filter(([path]) => !path.endsWith(name)));
const link = { name: 'bert/model.gguf', type: 'symlink' as const, linkname: '/etc/passwd' };

it.each<[string, string, string, () => Promise<Bytes>]>([
  ['a tar with a path outside', 'ARCHIVE_PATH_NOT_ALLOWED', 'tar', () => tarOf({ '../config.json': '{}' })],
  ['a tar with an absolute path', 'ARCHIVE_PATH_NOT_ALLOWED', 'tar', () => tarOf({ '/etc/config.json': '{}' })],
  [
    'a tar with a folder outside',
    'ARCHIVE_PATH_NOT_ALLOWED',
    'tar',
    () => tarOf(folder, [{ name: '../../x/', type: 'directory', linkname: '' }]),
  ],
  [
    'a tar with an absolute folder',
    'ARCHIVE_PATH_NOT_ALLOWED',
    'tar',
    () => tarOf(folder, [{ name: '/x/', type: 'directory', linkname: '' }]),
  ],
  ['a tar with a link', 'ARCHIVE_LINK_NOT_ALLOWED', 'tar', () => tarOf(folder, [link])],
  [
    'a tar with a device',
    'ARCHIVE_LINK_NOT_ALLOWED',
    'tgz',
    () => tarGzOf(folder, [{ ...link, type: 'character-device' }]),
  ],
  [
    'a zip with a path outside',
    'ARCHIVE_PATH_NOT_ALLOWED',
    'zip',
    async () => renamedInZip(await zipOf({ 'aa/config.json': '{}' }), 'aa/config', '../config'),
  ],
  [
    'a zip with a link',
    'ARCHIVE_LINK_NOT_ALLOWED',
    'zip',
    () => zipOf({ 'config.json': '/etc/passwd' }, { mode: 0o120777 }),
  ],
  [
    'a tar.gz that unpacks to far more',
    'ARCHIVE_TOO_LARGE',
    'gz',
    () => tarGzOf({ 'model.bin': Buffer.alloc(80 * 2 ** 20) }),
  ],
  [
    'a zip that unpacks to far more',
    'ARCHIVE_TOO_LARGE',
    'zip',
    () => zipOf({ 'model.bin': Buffer.alloc(80 * 2 ** 20) }),
  ],
  ['a tar.gz that is cut', 'ARCHIVE_INVALID', 'gz', async () => (await tarGzOf({ 'a.gguf': whole })).subarray(0, 900)],
  [
    'a zip with a damaged file',
    'ARCHIVE_INVALID',
    'zip',
    async () => {
      const zip = await zipOf({ 'a.gguf': whole });
      return zip.fill(0x55, 60, 400);
    },
  ],
  [
    'a tar with a link far in it',
    'ARCHIVE_LINK_NOT_ALLOWED',
    'tar',
    () => tarOf({ 'a.bin': Buffer.alloc(2 ** 20) }, [link, { ...link, name: 'another' }]),
  ],
  [
    'a tar that is damaged far in it',
    'ARCHIVE_INVALID',
    'tar',
    async () => {
      const bin = Buffer.alloc(2 ** 20);
      const tar = await tarOf({ 'a.bin': bin, 'b.bin': bin });
      return tar.fill(0x55, 2 ** 20 + 512, 2 ** 20 + 1_024);
    },
  ],
  ['a tar of nothing but folders', 'ARCHIVE_TOO_LARGE', 'gz', () => foldersInTarGz(100_001)],
  [
    'a zip of very many files',
    'MODEL_FORMAT_UNKNOWN',
    'zip',
    () => zipOf(Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`${at}.txt`, ''])), { compress: false }),
  ],
  ['a zip that is cut', 'ARCHIVE_INVALID', 'zip', async () => (await zipOf(folder)).subarray(0, -30)],
  ['a tar without a model', 'MODEL_FORMAT_UNKNOWN', 'tar', () => tarOf({ 'notes.txt': 'Nothing here' })],
  ['two GGUF files', 'MODEL_FORMAT_UNKNOWN', 'tar', () => tarOf({ 'a.gguf': whole, 'b.gguf': whole })],
  ['a folder without a tokenizer', 'MODEL_INCOMPLETE', 'zip', () => zipOf(without('tokenizer.json'))],
  ['a folder without weights', 'MODEL_INCOMPLETE', 'zip', () => zipOf(without('.safetensors'))],
  [
    'a folder that lacks a part',
    'MODEL_INCOMPLETE',
    'zip',
    () => zipOf({ ...folder, 'bert/model.safetensors.index.json': '{"weight_map":{"a":"model-2.safetensors"}}' }),
  ],
  [
    'a folder with a broken file',
    'MODEL_FILE_TRUNCATED',
    'zip',
    () => zipOf({ ...folder, 'bert/x.gguf': whole.subarray(0, 999) }),
  ],
  [
    'a folder whose model_type is empty',
    'MODEL_INCOMPLETE',
    'zip',
    () => zipOf({ ...folder, 'bert/config.json': '{"model_type":""}' }),
  ],
  [
    'a folder whose config has NaN',
    'MODEL_FILE_INVALID',
    'zip',
    () => zipOf({ ...folder, 'bert/config.json': '{"model_type":"bert","layer_norm_eps":NaN}' }),
  ],
  [
    'a folder whose config has an endless number',
    'MODEL_FILE_INVALID',
    'zip',
    () => zipOf({ ...folder, 'bert/config.json': '{"model_type":"bert","layer_norm_eps":1e999}' }),
  ],
  [
    'a folder whose config is not JSON',
    'MODEL_FILE_INVALID',
    'zip',
    () => zipOf({ ...folder, 'bert/config.json': '{' }),
  ],
])('%s is refused with %s', async (_, code, fileExtension, content) => {
  expect(await faultOf({ content: await content(), fileExtension })).toBe(code);
});

it.each([
  ['has a NUL character', 'a\0', '"a\\u0000"'],
  ['has half a character', 'a\ud800', '"a\\ud800"'],
  ['has a million characters', 'a'.repeat(1_000_000), `"${'a'.repeat(63)}…"`],
])('a folder that lacks a part whose name %s is refused with the name', async (_, name, shown) => {
  const index = JSON.stringify({ weight_map: { a: name } });
  const content = await zipOf({ ...folder, 'bert/model.safetensors.index.json': index }, { compress: false });
  const { error } = await importOf(api, { content, fileExtension: 'zip' });
  const message = `The archive has no ${shown}, which bert/model.safetensors.index.json names. Pack the whole folder.`;
  expect(error).toEqual({ code: 'MODEL_INCOMPLETE', message });
});

it('a base model that is uploaded as an adapter is refused', async () => {
  expect(await faultOf({ isAdapter: true })).toBe('ADAPTER_EXPECTED');
});

it.each<[string, string, () => Promise<Bytes> | Bytes]>([
  ['A GGUF file', 'safetensors', () => whole],
  ['A safetensors file', 'gguf', () => safetensors()],
  ['A zip', 'tar', () => zipOf(folder)],
  ['A tar', 'gguf', () => tarOf(folder)],
  ['A tar.gz', 'tar', () => tarGzOf(folder)],
])('%s with the extension .%s is refused', async (_, fileExtension, content) => {
  expect(await faultOf({ content: await content(), fileExtension })).toBe('FILE_CONTENT_MISMATCH');
});

it('a model takes the name of its file, cut between two characters', async () => {
  const modelId = (await importOf(api, { fileName: `${'a'.repeat(127)}😀b` })).modelId;
  expect((await read(api, modelId)).name).toBe(`${'a'.repeat(127)}…`);
});

it('a file with the extension .bin is recognized by its content', async () => {
  expect(await factsOf({ fileExtension: 'bin' })).toMatchObject({ format: 'gguf' });
});

it('a picture is not accepted as a model', async () => {
  expect(await faultOf({ content: bytes('\x89PNG and so on'), fileExtension: 'bin' })).toBe('MODEL_FORMAT_UNKNOWN');
});
