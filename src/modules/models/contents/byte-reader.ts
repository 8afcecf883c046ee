import { ImportFault } from './import-fault.js';

/** Reads a stream of bytes forward. It keeps no more of them in memory than one call of `take` asks for. */
export class ByteReader {
  private readonly pieces: AsyncIterator<Buffer>;
  private buffer: Buffer = Buffer.alloc(0);
  /** The number of bytes that have been taken or skipped. */
  position = 0;

  constructor(bytes: AsyncIterable<Buffer>) {
    this.pieces = bytes[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    if (this.buffer.length < count) await this.fill(count);
    const taken = this.buffer.subarray(0, count);
    this.buffer = this.buffer.subarray(count);
    this.position += count;
    return taken;
  }

  async skip(count: number): Promise<void> {
    let left = count;
    while (left > this.buffer.length) {
      left -= this.buffer.length;
      this.buffer = await this.next();
    }
    this.buffer = this.buffer.subarray(left);
    this.position += count;
  }

  /** Closes the source of the bytes. */
  async close(): Promise<void> {
    await this.pieces.return?.();
  }

  private async fill(count: number): Promise<void> {
    const pieces = [this.buffer];
    let length = this.buffer.length;
    while (length < count) {
      const piece = await this.next();
      pieces.push(piece);
      length += piece.length;
    }
    this.buffer = Buffer.concat(pieces, length);
  }

  private async next(): Promise<Buffer> {
    const next = await this.pieces.next();
    if (next.done) throw new ImportFault('MODEL_FILE_TRUNCATED', 'The file ends within its header. Upload all of it.');
    return next.value;
  }
}
