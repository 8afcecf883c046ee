import { NamedMark } from '../extension/named-mark.js';
import type { Storage } from './storage.js';

export interface StorageDescription {
  /** The scheme of the addresses in `STORAGE_URL`, without a colon. */
  readonly scheme: string;
}

/** Opens storages of one kind. Its class is marked with `@StoresContents`. */
export abstract class StorageKind {
  /**
   * Returns the storage at the address in `STORAGE_URL`, without a request to it. If the address is incomplete or wrong, it
   * throws an Error whose message completes the sentence "STORAGE_URL …". The start ends with that sentence.
   */
  abstract open(url: URL): Storage | Promise<Storage>;
}

export const storageKinds = new NamedMark<StorageKind, StorageDescription>(
  [StorageKind],
  'store contents at addresses of the scheme',
  ({ scheme }) => [scheme],
);

/** Marks a class that extends StorageKind. `STORAGE_URL` selects it by its scheme. */
export function StoresContents(description: StorageDescription): ClassDecorator {
  return storageKinds.marks(description);
}
