import { archiveFormatOf, type ArchiveFormat, entriesOf } from './archive.js';
import { type Content, headOf, wholeOf } from './content.js';
import { countRecords, isDatasetFile } from './dataset.js';
import type { Inspected } from './facts.js';
import { Folder } from './folder.js';
import { inspectGguf } from './gguf.js';
import { ImportFault } from './import-fault.js';
import { inspectSafetensors } from './safetensors.js';

/** What a model file is, whatever its extension says. Throws an ImportFault where it is none. */
export async function inspectModel(content: Content, isAdapter: boolean): Promise<Inspected> {
  const archive = await archiveFormatOf(content);
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
  const archive = await archiveFormatOf(content);
  const { records, files } = archive ? await countArchive(content, archive) : await countFile(content);
  if (records === 0) throw new ImportFault('DATASET_EMPTY', 'The dataset has no records. Upload one that has some.');
  return { kind: 'dataset', facts: { format: 'dataset', records, ...(files !== undefined && { files }) } };
}

async function inspectFile(content: Content): Promise<Inspected> {
  const head = await headOf(content, 9);
  const entry = { path: content.name, size: content.size, bytes: wholeOf(content) };
  if (head.toString('latin1').startsWith('GGUF')) return inspectGguf(entry);
  if (content.extension === 'safetensors' || head[8] === 0x7b) {
    const { parameters, type } = await inspectSafetensors(entry);
    return { kind: 'model', facts: { format: 'safetensors', parameters, quantisation: type } };
  }
  const isNamedGguf = content.extension === 'gguf';
  throw new ImportFault(
    isNamedGguf ? 'MODEL_FILE_INVALID' : 'MODEL_FORMAT_UNKNOWN',
    'The file is neither GGUF, nor safetensors, nor a tar or zip of a model folder. Upload one of these.',
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
