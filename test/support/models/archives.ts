import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { ZipFile } from 'yazl';

interface OtherEntry {
  name: string;
  type: 'symlink' | 'character-device' | 'directory';
  linkname: string;
}

export type Files = Record<string, string | Uint8Array>;

/** Makes a tar of these files, and of entries that are no files. */
export async function tarOf(files: Files, others: OtherEntry[] = []): Promise<Buffer<ArrayBuffer>> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, Buffer.from(content));
  for (const header of others) archive.entry(header);
  archive.finalize();
  return collected(archive as AsyncIterable<Buffer>);
}

export async function tarGzOf(files: Files, others: OtherEntry[] = []): Promise<Buffer<ArrayBuffer>> {
  return Buffer.from(gzipSync(await tarOf(files, others)));
}

/** Makes an archive of so many empty folders. */
export async function foldersInTarGz(count: number): Promise<Buffer<ArrayBuffer>> {
  const tar = await tarOf({}, [{ name: 'a/', type: 'directory', linkname: '' }]);
  return Buffer.from(gzipSync(Buffer.alloc(512 * count, tar.subarray(0, 512))));
}

interface ZipOptions {
  /** The kind and permissions, as Unix writes them. */
  mode?: number;
  compress?: boolean;
}

export async function zipOf(
  files: Files,
  { mode = 0o100644, compress = true }: ZipOptions = {},
): Promise<Buffer<ArrayBuffer>> {
  const archive = new ZipFile();
  for (const [name, content] of Object.entries(files))
    archive.addBuffer(Buffer.from(content), name, { mode, compress });
  archive.end();
  return collected(archive.outputStream as AsyncIterable<Buffer>);
}

/** Replaces a name in a ZIP by another of the same length, which no packer would write. */
export function renamedInZip(zip: Buffer<ArrayBuffer>, name: string, other: string): Buffer<ArrayBuffer> {
  if (name.length !== other.length) throw new Error('The names differ in length');
  return Buffer.from(zip.toString('latin1').replaceAll(name, other), 'latin1');
}

async function collected(stream: AsyncIterable<Buffer>): Promise<Buffer<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}
