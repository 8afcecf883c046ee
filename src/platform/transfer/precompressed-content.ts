import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** The bytes that are handed to the connection at once. */
const PIECE_BYTES = 64 * 1024;
/** Negotiation takes time that grows with the header. No client needs a longer one, so it is not read. */
const MAX_ACCEPT_LENGTH = 1024;

/** The encodings in the order of preference, with the smallest result first. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** The highest quality makes a tenth less of the content, and takes fifty times as long, while the first client waits. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

interface Encoded {
  bytes: Buffer;
  etag: string;
}

/**
 * Content that is the same for all clients, compressed once. All answers share its bytes, so a client that reads slowly
 * or not at all occupies no memory of its own.
 */
export class PrecompressedContent {
  private constructor(
    private readonly type: string,
    private readonly encoded: Readonly<Record<Encoding, Encoded>>,
    private readonly cacheControl: string,
  ) {}

  /** An immutable content is one whose address changes whenever it does. Browsers need not ask for it again. */
  static async of(type: string, text: string, { isImmutable = false } = {}): Promise<PrecompressedContent> {
    const bytes = Buffer.from(text);
    const [br, gzipped] = await Promise.all([promisify(brotliCompress)(bytes, BROTLI), promisify(gzip)(bytes)]);
    const encoded = { br: encodedAs(br), gzip: encodedAs(gzipped), identity: encodedAs(bytes) };
    return new PrecompressedContent(type, encoded, isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  }

  sendTo(request: Request, response: Response): void {
    const encoding = encodingFor(request);
    const { bytes, etag } = this.encoded[encoding];
    response.vary('accept-encoding').set({ etag, 'cache-control': this.cacheControl });
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    response.set({ 'content-type': this.type, 'content-length': String(bytes.length) });
    if (encoding !== 'identity') response.set('content-encoding', encoding);
    // The only error here is that the client has left, and then there is no connection for an answer.
    pipeline(Readable.from(piecesOf(bytes), { objectMode: false }), response, () => undefined);
  }
}

function encodedAs(bytes: Buffer): Encoded {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

function encodingFor(request: Request): Encoding {
  if ((request.headers['accept-encoding']?.length ?? 0) > MAX_ACCEPT_LENGTH) return 'identity';
  return ENCODINGS.find((encoding) => request.acceptsEncodings(encoding)) ?? 'identity';
}

/** Gives way after each piece. Otherwise, hundreds of clients that ask at once would get all their bytes first. */
async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    if (at > 0) await turn();
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}
