import type { Readable } from 'node:stream';

/** A content as it arrives, piece by piece. */
export type Content = AsyncIterable<Buffer>;

/** The bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Stores contents under names that this service makes. A `StorageKind` opens it. */
export abstract class Storage {
  /** Identifies the location of the contents, so that processes notice when theirs differ. Prepares a new location. */
  abstract location(): Promise<string>;

  /** Throws if contents cannot be written or read at the moment. */
  abstract check(): Promise<void>;

  /** Returns how many bytes still fit, or null where the storage has no limit that it knows. */
  abstract freeBytes(): Promise<number | null>;

  /**
   * Writes a content. When it returns, the content is complete and survives a crash; when it throws, there is nothing
   * under this name.
   */
  abstract write(name: string, content: Content): Promise<void>;

  abstract read(name: string, range: ByteRange): Promise<Readable>;

  /** Removes a content, also one that a process left half written when it died. A missing content is not an error. */
  abstract remove(name: string): Promise<void>;
}
