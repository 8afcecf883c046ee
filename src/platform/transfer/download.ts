import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { currentRequest } from '../context/request-context.js';
import type { Answer } from '../route/answer.js';
import { fromStorageFault } from '../storage/storage.errors.js';
import type { ByteRange } from '../storage/storage.js';
import { rangeIn } from './byte-range.js';
import { OwnReply } from './own-reply.js';
import { collectingEarly } from '../memory/early-collection.js';
import { transferErrors } from './transfer.errors.js';

/** A content that can be sent, whole or in part. The content that a tag names never changes. */
export interface Downloadable {
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  readonly tag: string;
  /** Throws before the first piece if the content cannot be read. */
  read(range: ByteRange): Promise<AsyncIterable<Buffer>>;
}

/** A route's result that is sent as it is read, without being collected in memory. */
export class Download extends OwnReply {
  constructor(private readonly content: Downloadable) {
    super();
  }

  async sendTo(response: Response): Promise<void> {
    const { name, mediaType, size, tag } = this.content;
    const range = this.rangeFor(response.req);
    if (range === null) {
      throw transferErrors.rangeNotSatisfiable({ size }, { headers: { 'content-range': `bytes */${size}` } });
    }
    const { start, end } = range === 'whole' ? { start: 0, end: size - 1 } : range;
    const pieces = end < start || response.req.method === 'HEAD' ? [] : await this.content.read({ start, end });
    response
      .status(range === 'whole' ? 200 : 206)
      .attachment(name)
      .set({
        'content-type': mediaType,
        'content-length': String(end - start + 1),
        'accept-ranges': 'bytes',
        etag: `"${tag}"`,
        'cache-control': 'private, no-store',
        ...(range !== 'whole' && { 'content-range': `bytes ${start}-${end}/${size}` }),
      });
    await pipeline(readable(pieces), response, { signal: currentRequest()!.signal });
  }

  /**
   * Returns the whole for a client that has a part of another content. Only for GET does a range have a meaning (RFC
   * 9110, 14.2).
   */
  private rangeFor({ method, headers }: Request): ByteRange | null | 'whole' {
    if (method !== 'GET') return 'whole';
    const isOfThis = headers['if-range'] === undefined || headers['if-range'] === `"${this.content.tag}"`;
    return isOfThis ? rangeIn(headers.range, this.content.size) : 'whole';
  }
}

/** A failure to read is the storage's fault. A client that leaves in between only ends the reading. */
async function* readable(pieces: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* collectingEarly(pieces);
  } catch (error) {
    throw fromStorageFault(error);
  }
}

/** The answer of a route that sends a content. */
export function download(): Answer<Download> {
  return {
    schema: z.string().meta({ examples: ['The bytes of the file'] }),
    result: z.instanceof(Download),
    // The content has a media type of its own.
    contentType: '*/*',
    supportsRange: true,
    headers: {
      'content-disposition': 'The file name to save the content under.',
      etag: 'Identifies the content. To continue a download, send it in `If-Range`.',
      'accept-ranges': '`bytes`: a request with `Range` gets a part of the content.',
      'content-range': 'The position of the part that a request with `Range` gets.',
    },
    wrap: (result) => result,
  };
}
