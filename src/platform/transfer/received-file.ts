import type { ObjectName } from '../storage/stored-objects.js';

/**
 * A file of a form that is already in the storage. Only the members that distinguish one request from another are
 * enumerable.
 */
export class ReceivedFile {
  readonly #object: ObjectName;
  readonly #head: Buffer;

  constructor(
    /** The name that the client gives, for display only. */
    readonly name: string,
    readonly size: number,
    /** The SHA-256 digest in base64, if it was wanted. */
    readonly digest: string | undefined,
    object: ObjectName,
    head: Buffer,
  ) {
    this.#object = object;
    this.#head = head;
  }

  named(name: string): ReceivedFile {
    return new ReceivedFile(name, this.size, this.digest, this.#object, this.#head);
  }

  /** The object in the storage, which is removed when the request ends unless it is kept. */
  get object(): ObjectName {
    return this.#object;
  }

  /** The first bytes, enough to recognize the type of the content. */
  get head(): Buffer {
    return this.#head;
  }
}
