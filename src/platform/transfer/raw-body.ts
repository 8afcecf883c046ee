import { PassThrough } from 'node:stream';
import type { Request } from 'express';
import { currentRequest } from '../context/request-context.js';
import { collectingEarly } from '../memory/early-collection.js';
import { httpErrors } from '../route/http.errors.js';

/**
 * The bytes of a request's body as they arrive, which are read in parts. If the connection breaks or the request is
 * aborted, they end early, and what has arrived until then can still be read.
 */
export class RawBody {
  private readonly arriving = new PassThrough();
  private readonly pieces: AsyncIterator<Buffer, undefined>;
  private next: Buffer | undefined;
  private cutFor: Error | undefined;
  private readonly onLeave: (() => void)[] = [];

  constructor(private readonly request: Request) {
    this.pieces = collectingEarly(this.arriving as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    const broken = () => this.cut(httpErrors.malformedRequest());
    const context = currentRequest()!;
    request.once('error', broken).once('close', broken);
    request.once(
      'close',
      context.onAbort((reason) => this.cut(reason)),
    );
    if (context.isAborted) broken();
    else request.pipe(this.arriving);
  }

  /** Ends the bytes early, unless they have ended already. */
  cut(reason: Error): void {
    if (this.request.readableEnded || this.cutFor) return;
    this.cutFor = reason;
    this.leave();
    this.arriving.end();
  }

  /** Throws the reason if the body has ended before its time. */
  throwIfCut(): void {
    if (this.cutFor) throw this.cutFor;
  }

  /** Waits for more bytes, and returns false if the body has ended. */
  async hasMore(): Promise<boolean> {
    while (!this.next?.length) {
      const { value, done } = await this.pieces.next();
      if (done) return false;
      this.next = value;
    }
    return true;
  }

  /** Reads at most these bytes. After the time, it ends with the piece that has just arrived. */
  async *part(maxBytes: number, milliseconds = Infinity): AsyncGenerator<Buffer> {
    const begun = performance.now();
    for (let left = maxBytes; left > 0 && performance.now() - begun < milliseconds && (await this.hasMore());) {
      const piece = this.next!.subarray(0, left);
      this.next = this.next!.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  /** Calls the function when the body is read no more. */
  whenLeft(act: () => void): void {
    this.onLeave.push(act);
  }

  /** Stops reading, so that the server can drop the rest. */
  leave(): void {
    for (const act of this.onLeave.splice(0)) act();
    this.request.unpipe(this.arriving);
  }
}
