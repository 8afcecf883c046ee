import { ImportFault } from './import-fault.js';

/** Reads on and on in bytes that pass by once, holding no more of them than it was asked for. */
export class ByteReader {
  private readonly pieces: AsyncIterator<Buffer>;
  private held: Buffer = Buffer.alloc(0);
  /** How many bytes have been taken or skipped. */
  position = 0;

  constructor(bytes: AsyncIterable<Buffer>) {
    this.pieces = bytes[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    if (this.held.length < count) await this.hold(count);
    const taken = this.held.subarray(0, count);
    this.held = this.held.subarray(count);
    this.position += count;
    return taken;
  }

  async skip(count: number): Promise<void> {
    let left = count;
    while (left > this.held.length) {
      left -= this.held.length;
      this.held = await this.next();
    }
    this.held = this.held.subarray(left);
    this.position += count;
  }

  /** Lets go of what the bytes come from. */
  async close(): Promise<void> {
    await this.pieces.return?.();
  }

  private async hold(count: number): Promise<void> {
    const pieces = [this.held];
    let length = this.held.length;
    while (length < count) {
      const piece = await this.next();
      pieces.push(piece);
      length += piece.length;
    }
    this.held = Buffer.concat(pieces, length);
  }

  private async next(): Promise<Buffer> {
    const next = await this.pieces.next();
    if (next.done) throw new ImportFault('MODEL_FILE_TRUNCATED', 'The file ends within its header. Upload all of it.');
    return next.value;
  }
}
