import { deflateSync, crc32 } from 'node:zlib';

/** Makes the smallest valid PNG. */
export const png = (): Buffer<ArrayBuffer> => {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.alloc(2))), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...parts]);
};

const bytes = (text: string) => Buffer.from(text, 'latin1');
const ebml = '\x1a\x45\xdf\xa3\x87\x42\x82\x84webm';
const mpegFrame = `\xff\xfb\x90\x00${'\0'.repeat(413)}`;
const tar = () => {
  const block = Buffer.alloc(1024);
  block.write('a.txt', 0);
  block.write('0000644\0', 100);
  block.write('00000000000\0', 124);
  block.write('ustar\x0000', 257);
  return block;
};

const EMPTY_ZIP = bytes(`PK\x05\x06${'\0'.repeat(18)}`);
const COMPOUND_FILE = bytes(`\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1${'\0'.repeat(24)}`);

/** One for every extension there is. */
export const CONTENTS: Record<string, Buffer<ArrayBuffer>> = {
  m4a: bytes('\0\0\0\x18ftypM4A \0\0\0\0M4A isom'),
  mp3: bytes(`ID3\x04\0\0\0\0\0\0${mpegFrame}`),
  webm: bytes(ebml),
  mp4: bytes('\0\0\0\x18ftypisom\0\0\0\0isommp42'),
  mpga: bytes(mpegFrame + mpegFrame),
  wav: bytes('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x44\xac\0\0'),
  mpeg: bytes('\0\0\x01\xba\x44\0\x04\0\x04\x01\0\0\x03\xf8'),
  png: png(),
  jpeg: bytes('\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0'),
  jpg: bytes('\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0'),
  webp: bytes('RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\0\0\0\x10\x07\x10\x11'),
  gif: bytes('GIF89a\x01\0\x01\0\0\0\0,'),
  pdf: bytes('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n'),
  docx: EMPTY_ZIP,
  doc: COMPOUND_FILE,
  xlsx: EMPTY_ZIP,
  xls: COMPOUND_FILE,
  pptx: EMPTY_ZIP,
  ppt: COMPOUND_FILE,
  rtf: bytes('{\\rtf1 Seven apples}'),
  html: bytes('<p>Seven apples</p>'),
  htm: bytes('<p>Seven apples</p>'),
  mle: bytes('hello'),
  bmp: bytes('BM\x1e\0\0\0\0\0\0\0\x1a\0\0\0'),
  json: bytes('{"a": 1}'),
  jsonl: bytes('{"a": 1}\n{"a": 2}\n'),
  csv: bytes('a,b\n1,2\n'),
  txt: bytes('hello'),
  env: bytes('A=1'),
  zip: EMPTY_ZIP,
  tar: tar(),
  gz: bytes('\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0'),
  tgz: bytes('\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0'),
  gguf: bytes('GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'),
  safetensors: bytes('\x02\0\0\0\0\0\0\0{}'),
  bin: bytes('\0\x01\x02'),
};

/** The extensions that every context accepts. */
export const EVERYWHERE = [
  ...['m4a', 'mp3', 'webm', 'mp4', 'mpga', 'wav', 'mpeg', 'png', 'jpeg', 'jpg', 'webp', 'gif'],
  ...['pdf', 'docx', 'doc', 'xlsx', 'xls', 'pptx', 'ppt', 'rtf', 'html', 'htm', 'mle', 'bmp'],
];
export const DATA = Object.keys(CONTENTS).filter((extension) => !EVERYWHERE.includes(extension));
/** The content of these types is not checked. */
export const UNSNIFFED = ['mle', 'txt', 'env', 'bin'];
