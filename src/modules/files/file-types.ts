import { fileTypeFromBuffer } from 'file-type';
import { filesErrors } from './files.errors.js';

/** What a content begins with that has this extension. */
type Rule = (head: Buffer) => boolean | Promise<boolean>;

/** What file-type calls it, which has fewer names than the world. */
const called =
  (...names: string[]): Rule =>
  async (head) =>
    names.includes((await fileTypeFromBuffer(head))?.ext ?? '');

const begins = (...marks: string[]): Rule => {
  const bytes = marks.map((mark) => Buffer.from(mark, 'latin1'));
  return (head) => bytes.some((mark) => head.subarray(0, mark.length).equals(mark));
};

const anything: Rule = () => true;
const MPEG_AUDIO = ['mp3', 'mp2', 'mp1'];

/** Taken in every context. */
const MEDIA: Record<string, Rule> = {
  m4a: called('m4a', 'mp4', 'm4b'),
  mp3: called(...MPEG_AUDIO),
  webm: called('webm'),
  mp4: called('mp4', 'm4v', 'm4a', 'mov'),
  mpga: called(...MPEG_AUDIO),
  wav: called('wav'),
  mpeg: called('mpg', ...MPEG_AUDIO),
  png: called('png', 'apng'),
  jpeg: called('jpg'),
  jpg: called('jpg'),
  webp: called('webp'),
  gif: called('gif'),
};

const ZIP = begins('PK\x03\x04', 'PK\x05\x06');
/** What Office wrote before its documents were archives. */
const COMPOUND_FILE = begins('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1');

/** Taken in every context too, since sessions name them. */
const DOCUMENTS: Record<string, Rule> = {
  pdf: begins('%PDF-'),
  docx: ZIP,
  doc: COMPOUND_FILE,
  xlsx: ZIP,
  xls: COMPOUND_FILE,
  pptx: ZIP,
  ppt: COMPOUND_FILE,
  rtf: begins('{\\rtf'),
  html: isText,
  htm: isText,
  mle: anything,
  bmp: begins('BM'),
};

/** Taken beside them where models, tools and data come in. */
const DATA: Record<string, Rule> = {
  json: (head) => isText(head) && /^\ufeff?\s*[[{"\-\dtfn]/.test(head.toString()),
  jsonl: (head) => isText(head) && /^\ufeff?\s*[[{]/.test(head.toString()),
  csv: isText,
  txt: anything,
  env: anything,
  zip: ZIP,
  tar: (head) => head.subarray(257, 262).toString() === 'ustar',
  gz: begins('\x1f\x8b'),
  tgz: begins('\x1f\x8b'),
  gguf: begins('GGUF'),
  safetensors: (head) => head[8] === 0x7b,
  bin: anything,
};

const DATA_CONTEXTS = ['bulkImport', 'tool', 'model', 'dataset'];

/** What a name ends in, in lower case; of `a.tar.GZ` it is `gz`. */
export function extensionOf(name: string): string {
  const at = name.lastIndexOf('.');
  return at < 0 ? '' : name.slice(at + 1).toLowerCase();
}

export function checkExtension(context: string, extension: string): void {
  const always = [...Object.keys(MEDIA), ...Object.keys(DOCUMENTS)];
  const taken = [...always, ...(DATA_CONTEXTS.includes(context) ? Object.keys(DATA) : [])];
  if (taken.includes(extension)) return;
  throw filesErrors.unsupportedType({ extension, context: `the context ${context}`, taken: taken.join(', ') });
}

/** Whether the content is what its extension says, by its first bytes; they are read where there is a rule for them. */
export async function checkContent(extension: string, head: () => Promise<Buffer>): Promise<void> {
  const rule = MEDIA[extension] ?? DOCUMENTS[extension] ?? DATA[extension] ?? anything;
  if (rule === anything) return;
  if (!(await rule(await head()))) throw filesErrors.contentMismatch({ extension });
}

/** In UTF-8, up to a character that the end of the head may have cut. */
function isText(head: Buffer): boolean {
  if (head.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

const MEDIA_TYPES: Record<string, string> = {
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  webm: 'video/webm',
  mp4: 'video/mp4',
  mpga: 'audio/mpeg',
  wav: 'audio/wav',
  mpeg: 'video/mpeg',
  png: 'image/png',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  doc: 'application/msword',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xls: 'application/vnd.ms-excel',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  ppt: 'application/vnd.ms-powerpoint',
  rtf: 'text/rtf',
  html: 'text/html; charset=utf-8',
  htm: 'text/html; charset=utf-8',
  bmp: 'image/bmp',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  zip: 'application/zip',
  tar: 'application/x-tar',
  gz: 'application/gzip',
  tgz: 'application/gzip',
};

export function mediaTypeOf(extension: string): string {
  return MEDIA_TYPES[extension] ?? 'application/octet-stream';
}
