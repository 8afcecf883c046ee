import type { Request } from 'express';
import type { SlipwayError } from '../../kernel/errors.js';
import { httpErrors } from './http.errors.js';

/** A JSON body that takes longer than this to arrive is cut. */
const BODY_TIMEOUT_MS = 30_000;
/** After a refusal the rest of a body is still read for a while: a client that writes does not see an answer. */
const DRAIN_MS = 30_000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads and parses the body. Returns undefined for an empty one. */
export async function readJsonBody(request: Request, maxBytes: number): Promise<unknown> {
  if (!hasBody(request)) return undefined;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw httpErrors.payloadTooLarge({ limit: maxBytes });
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return undefined;
  if (!isJson(request)) throw httpErrors.unsupportedMediaType({ expected: 'application/json' });
  return parse(bytes);
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isJson({ headers }: Request): boolean {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  if (charset && !/^charset="?utf-?8"?$/.test(charset)) return false;
  if (headers['content-encoding'] && headers['content-encoding'] !== 'identity') return false;
  return /^application\/([\w.+-]+\+)?json$/.test(type.trim());
}

function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (settle: () => void) => {
      clearTimeout(slow);
      request.off('data', take).off('end', end).off('error', fail).off('close', fail);
      settle();
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) stop(() => reject(httpErrors.payloadTooLarge({ limit: maxBytes })));
      else chunks.push(chunk);
    };
    const end = () => stop(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    const fail = () => stop(() => reject(httpErrors.malformedRequest()));
    const slow = setTimeout(() => stop(() => reject(tooSlow(request))), BODY_TIMEOUT_MS);
    request.on('data', take).once('end', end).once('error', fail).once('close', fail);
  });
}

function tooSlow(request: Request): SlipwayError {
  request.pause();
  return httpErrors.requestTimeout({ headers: { connection: 'close' } });
}

export function drain(request: Request): void {
  const cut = setTimeout(() => request.destroy(), DRAIN_MS).unref();
  request.once('close', () => clearTimeout(cut));
  request.resume();
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw httpErrors.malformedJson({ position: position ? ` (at character ${position})` : '' });
  }
}
