import { archiveFormatOf, type ArchiveFormat, entriesOf } from './archive.js';
import { type Content, headOf, wholeOf } from './content.js';
import { countRecords, isDatasetFile } from './dataset.js';
import type { Inspected } from './facts.js';
import { Folder } from './folder.js';
import { inspectGguf } from './gguf.js';
import { ImportFault } from './import-fault.js';
import { inspectSafetensors } from './safetensors.js';

/** Finds out what a model file is. Throws an ImportFault if it is none, or if its extension is wrong. */
export async function inspectModel(content: Content, isAdapter: boolean): Promise<Inspected> {
  const archive = await archiveIn(content);
  const inspected = archive ? await inspectFolder(content, archive) : await inspectFile(content);
  if (isAdapter && inspected.kind !== 'adapter') {
    throw new ImportFault(
      'ADAPTER_EXPECTED',
      'The upload was started with isAdapter, and the file is a whole model. Upload the adapter, or leave isAdapter out.',
    );
  }
  return inspected;
}

export async function inspectDataset(content: Content): Promise<Inspected> {
  const archive = await archiveIn(content);
  const { records, files } = archive ? await countArchive(content, archive) : await countFile(content);
  if (records === 0) throw new ImportFault('DATASET_EMPTY', 'The dataset has no records. Upload one that has records.');
  return { kind: 'dataset', facts: { format: 'dataset', records, ...(files !== undefined && { files }) } };
}

/** The extensions that a content of each format may have. `bin` stands for any content. */
const EXTENSIONS = {
  gguf: ['gguf', 'bin'],
  safetensors: ['safetensors', 'bin'],
  zip: ['zip', 'bin'],
  tar: ['tar', 'bin'],
  'tar.gz': ['gz', 'tgz', 'bin'],
};

function checkExtension({ extension }: Content, format: keyof typeof EXTENSIONS): void {
  if (EXTENSIONS[format].includes(extension)) return;
  const message = `The file has the extension .${extension}, and its content is ${format}. Upload it with the extension of its content.`;
  throw new ImportFault('FILE_CONTENT_MISMATCH', message);
}

async function archiveIn(content: Content): Promise<ArchiveFormat | null> {
  const format = await archiveFormatOf(content);
  if (format) checkExtension(content, format);
  return format;
}

async function inspectFile(content: Content): Promise<Inspected> {
  const head = await headOf(content, 9);
  const entry = { path: content.name, size: content.size, bytes: wholeOf(content) };
  if (head.toString('latin1').startsWith('GGUF')) {
    checkExtension(content, 'gguf');
    return inspectGguf(entry);
  }
  if (content.extension === 'safetensors' || head[8] === 0x7b) {
    const { parameters, type } = await inspectSafetensors(entry);
    checkExtension(content, 'safetensors');
    return { kind: 'model', facts: { format: 'safetensors', parameters, quantisation: type } };
  }
  const isNamedGguf = content.extension === 'gguf';
  throw new ImportFault(
    isNamedGguf ? 'MODEL_FILE_INVALID' : 'MODEL_FORMAT_UNKNOWN',
    'The file is neither GGUF, nor safetensors, nor a TAR or ZIP archive of a model folder. Upload one of these.',
  );
}

async function inspectFolder(content: Content, format: ArchiveFormat): Promise<Inspected> {
  const folder = new Folder();
  for await (const entry of entriesOf(content, format)) await folder.add(entry);
  return folder.inspected();
}

async function countFile(content: Content): Promise<{ records: number; files?: number }> {
  const records = await countRecords({ path: content.name, size: content.size, bytes: wholeOf(content) });
  return { records };
}

async function countArchive(content: Content, format: ArchiveFormat): Promise<{ records: number; files?: number }> {
  let records = 0;
  let files = 0;
  for await (const entry of entriesOf(content, format)) {
    if (!isDatasetFile(entry.path)) continue;
    files += 1;
    records += await countRecords(entry);
  }
  return { records, files };
}
