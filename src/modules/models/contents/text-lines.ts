import { linesOf, textsOf } from '../../../kernel/lines.js';
import { ImportFault } from './import-fault.js';

const NO_UTF8 = 'ERR_ENCODING_INVALID_ENCODED_DATA';

export const LONGEST_RECORD = 16 * 1024 * 1024;

/** Decodes bytes piece by piece. */
export async function* decoded(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    yield* textsOf(bytes, decoder);
  } catch (error) {
    if ((error as { code?: string }).code === NO_UTF8)
      throw new ImportFault('DATASET_INVALID', 'The file is not text in UTF-8.');
    throw error;
  }
}

/** Yields the lines of the text, without their line breaks. */
export function textLinesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  return linesOf(bounded(decoded(bytes)));
}

/** Passes the pieces of a text on, and refuses a line that is longer than a record. */
async function* bounded(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let open = 0;
  for await (const piece of pieces) {
    const end = piece.lastIndexOf('\n');
    open = end < 0 ? open + piece.length : piece.length - end - 1;
    if (open > LONGEST_RECORD) throw new ImportFault('DATASET_INVALID', 'A line has more than 16 MiB.');
    yield piece;
  }
}
