import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { SlipwayError } from '../../kernel/errors.js';
import type { Content } from '../storage/storage.js';
import { passing } from './passing-bytes.js';
import { transferErrors } from './transfer.errors.js';

/** As much as tells what a content is. */
export const HEAD_BYTES = 4100;

/** What is learned of a content while it passes on its way to the store: nothing of it is kept but its head. */
export class Intake implements Content {
  private readonly hash: Hash | undefined;
  private readonly heads: Buffer[] = [];
  size = 0;

  constructor(
    private readonly source: Readable,
    private readonly maxBytes: number,
    private readonly tooLarge: () => SlipwayError,
    isDigested: boolean,
  ) {
    this.hash = isDigested ? createHash('sha256') : undefined;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Buffer> {
    for await (const piece of passing(this.arriving())) {
      if (this.size < HEAD_BYTES) this.heads.push(piece.subarray(0, HEAD_BYTES - this.size));
      this.size += piece.length;
      if (this.size > this.maxBytes) throw this.tooLarge();
      this.hash?.update(piece);
      yield piece;
    }
  }

  /** What does not arrive whole is a fault of the form that it stands in. */
  private async *arriving(): AsyncGenerator<Buffer> {
    try {
      yield* this.source as AsyncIterable<Buffer>;
    } catch (cause) {
      throw transferErrors.malformedForm({ cause });
    }
  }

  /** A copy: the pieces that it was part of are to go. */
  head(): Buffer {
    return Buffer.concat(this.heads);
  }

  digest(): string | undefined {
    return this.hash?.digest('base64');
  }
}
