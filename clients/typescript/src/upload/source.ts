import { SlipwayError } from '../errors.js';

/** A file to upload: the path of one (in Node, Bun and Deno), or its content. */
export type UploadSource = string | Blob | Uint8Array<ArrayBuffer>;

/** A content that is read piece by piece. */
export interface Content {
  /** The last part of the path, or the name of a `File`. */
  readonly name: string | undefined;
  readonly size: number;
  slice(from: number, to: number): Promise<Blob>;
  close(): Promise<void>;
}

interface PathModule {
  openPath?: (path: string) => Promise<Content>;
}

export async function open(source: UploadSource): Promise<Content> {
  if (typeof source === 'string') {
    // Browsers have no paths, and their bundles leave this file out.
    const { openPath }: PathModule = await import('./path-source.js');
    if (!openPath) throw new SlipwayError('FILE_NOT_READABLE', 'A browser has no paths. Upload a Blob or a File.');
    return openPath(source);
  }
  const blob = source instanceof Blob ? source : new Blob([source]);
  return {
    name: 'name' in blob && typeof blob.name === 'string' ? blob.name : undefined,
    size: blob.size,
    slice: (from, to) => Promise.resolve(blob.slice(from, to)),
    close: () => Promise.resolve(),
  };
}
