import type { Readable } from 'node:stream';

/** A content on its way in, piece by piece. */
export type Content = AsyncIterable<Buffer>;

/** The bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Where contents are kept, under names that this service makes. One file an implementation; `STORAGE_URL` chooses. */
export abstract class Storage {
  /** Names the location of the contents, so that processes notice when theirs differ. Prepares one that is new. */
  abstract location(): Promise<string>;

  /** Throws when contents cannot be kept or read at the moment. */
  abstract check(): Promise<void>;

  /** When it returns, the content is whole and survives a crash; when it throws, there is nothing under this name. */
  abstract write(name: string, content: Content): Promise<void>;

  abstract read(name: string, range: ByteRange): Promise<Readable>;

  /** Also what a process that died left half written. What is not there is no fault. */
  abstract remove(name: string): Promise<void>;
}
