import type { ObjectName } from '../storage/stored-objects.js';

/** A file of a form that is already in the store. What can be enumerated is what tells one request from another. */
export class ReceivedFile {
  readonly #object: ObjectName;
  readonly #head: Buffer;

  constructor(
    /** As the client says, and for display alone. */
    readonly name: string,
    readonly size: number,
    /** SHA-256 in base64, where it was wanted. */
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

  /** Goes when the request ends, unless it is kept. */
  get object(): ObjectName {
    return this.#object;
  }

  /** Its first bytes, enough to tell what it is. */
  get head(): Buffer {
    return this.#head;
  }
}
