import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { SlipwayError } from '../../kernel/errors.js';
import type { Content } from '../storage/storage.js';
import { collectingEarly } from '../memory/early-collection.js';
import { transferErrors } from './transfer.errors.js';

/** Enough bytes to recognize the type of a content. */
export const HEAD_BYTES = 4100;

/**
 * Measures a content on its way to the storage: its size, its digest and its first bytes. Only the first bytes are
 * kept.
 */
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
    for await (const piece of collectingEarly(this.arriving())) {
      if (this.size < HEAD_BYTES) this.heads.push(piece.subarray(0, HEAD_BYTES - this.size));
      this.size += piece.length;
      if (this.size > this.maxBytes) throw this.tooLarge();
      this.hash?.update(piece);
      yield piece;
    }
  }

  /** A content that does not arrive completely is a fault of its form. */
  private async *arriving(): AsyncGenerator<Buffer> {
    try {
      yield* this.source as AsyncIterable<Buffer>;
    } catch (cause) {
      throw transferErrors.malformedForm({ cause });
    }
  }

  /** Returns a copy, so that the pieces it was part of can be freed. */
  head(): Buffer {
    return Buffer.concat(this.heads);
  }

  digest(): string | undefined {
    return this.hash?.digest('base64');
  }
}
