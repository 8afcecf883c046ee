import { ImportFault } from './import-fault.js';

const NO_UTF8 = 'ERR_ENCODING_INVALID_ENCODED_DATA';

export const LONGEST_RECORD = 16 * 1024 * 1024;

/** The text of the bytes, piece by piece. */
export async function* decoded(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const piece of bytes) yield decoder.decode(piece, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if ((error as { code?: string }).code === NO_UTF8)
      throw new ImportFault('DATASET_INVALID', 'The file is no text in UTF-8.');
    throw error;
  }
}

/** Its lines, without their ends. */
export async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of decoded(bytes)) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop()!;
    if (rest.length > LONGEST_RECORD) throw new ImportFault('DATASET_INVALID', 'A line has more than 16 MiB.');
    for (const line of lines) yield line.replace(/\r$/, '');
  }
  if (rest !== '') yield rest.replace(/\r$/, '');
}
