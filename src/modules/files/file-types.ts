import { filesErrors } from './files.errors.js';

/** Checks whether the beginning of a content matches an extension. */
type Rule = (head: Buffer) => boolean | Promise<boolean>;

/** Requires that the library `file-type` detects one of these types. It has one name for several extensions. */
const detectedAs =
  (...names: string[]): Rule =>
  async (head) => {
    const { fileTypeFromBuffer } = await import('file-type');
    return names.includes((await fileTypeFromBuffer(head))?.ext ?? '');
  };

const beginsWith = (...marks: string[]): Rule => {
  const bytes = marks.map((mark) => Buffer.from(mark, 'latin1'));
  return (head) => bytes.some((mark) => head.subarray(0, mark.length).equals(mark));
};

const anything: Rule = () => true;
const MPEG_AUDIO = ['mp3', 'mp2', 'mp1'];

/** The media types that every context accepts. */
const MEDIA: Record<string, Rule> = {
  m4a: detectedAs('m4a', 'mp4', 'm4b'),
  mp3: detectedAs(...MPEG_AUDIO),
  webm: detectedAs('webm'),
  mp4: detectedAs('mp4', 'm4v', 'm4a', 'mov'),
  mpga: detectedAs(...MPEG_AUDIO),
  wav: detectedAs('wav'),
  mpeg: detectedAs('mpg', ...MPEG_AUDIO),
  png: detectedAs('png', 'apng'),
  jpeg: detectedAs('jpg'),
  jpg: detectedAs('jpg'),
  webp: detectedAs('webp'),
  gif: detectedAs('gif'),
};

const ZIP = beginsWith('PK\x03\x04', 'PK\x05\x06');
/** The format of Office documents before they were archives. */
const COMPOUND_FILE = beginsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1');

/** The documents that every context accepts, because sessions name them as allowed types. */
const DOCUMENTS: Record<string, Rule> = {
  pdf: beginsWith('%PDF-'),
  docx: ZIP,
  doc: COMPOUND_FILE,
  xlsx: ZIP,
  xls: COMPOUND_FILE,
  pptx: ZIP,
  ppt: COMPOUND_FILE,
  rtf: beginsWith('{\\rtf'),
  html: isText,
  htm: isText,
  mle: anything,
  bmp: beginsWith('BM'),
};

/** The types that only the contexts for models, tools and data accept in addition. */
const DATA: Record<string, Rule> = {
  json: (head) => isText(head) && /^\ufeff?\s*[[{"\-\dtfn]/.test(head.toString()),
  jsonl: (head) => isText(head) && /^\ufeff?\s*[[{]/.test(head.toString()),
  csv: isText,
  txt: anything,
  yaml: isText,
  yml: isText,
  env: anything,
  zip: ZIP,
  tar: (head) => head.subarray(257, 262).toString() === 'ustar',
  gz: beginsWith('\x1f\x8b'),
  tgz: beginsWith('\x1f\x8b'),
  gguf: beginsWith('GGUF'),
  safetensors: (head) => head[8] === 0x7b,
  bin: anything,
};

const DATA_CONTEXTS = ['bulkImport', 'tool', 'model', 'dataset'];

/** Returns the last extension of a name in lower case, such as `gz` of `a.tar.GZ`. */
export function extensionOf(name: string): string {
  const at = name.lastIndexOf('.');
  return at < 0 ? '' : name.slice(at + 1).toLowerCase();
}

export function checkExtension(context: string, extension: string): void {
  const always = [...Object.keys(MEDIA), ...Object.keys(DOCUMENTS)];
  const accepted = [...always, ...(DATA_CONTEXTS.includes(context) ? Object.keys(DATA) : [])];
  if (accepted.includes(extension)) return;
  throw filesErrors.unsupportedType({ extension, context: `the context ${context}`, taken: accepted.join(', ') });
}

/** Checks the first bytes of a content against its extension. They are read only if there is a rule for them. */
export async function checkContent(extension: string, head: () => Promise<Buffer>): Promise<void> {
  const rule = MEDIA[extension] ?? DOCUMENTS[extension] ?? DATA[extension] ?? anything;
  if (rule === anything) return;
  if (!(await rule(await head()))) throw filesErrors.contentMismatch({ extension });
}

/** Whether the bytes are UTF-8. The last character may be incomplete, because the head ends anywhere. */
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
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
  tar: 'application/x-tar',
  gz: 'application/gzip',
  tgz: 'application/gzip',
};

export function mediaTypeOf(extension: string): string {
  return MEDIA_TYPES[extension] ?? 'application/octet-stream';
}
