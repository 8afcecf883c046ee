import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Request } from 'express';
import type { SlipwayError } from '../../kernel/errors.js';
import { currentRequest } from '../context/request-context.js';
import { type BodyFormat, JSON_BODY, type StreamedBody } from '../route/body-format.js';
import { httpErrors } from '../route/http.errors.js';

/** The time in which a collected body has to arrive. A streamed body is only cut if nothing arrives for this long. */
const BODY_TIMEOUT_MS = 30_000;
/** The rest of a refused body is read for this long, because a client that still writes does not read the answer. */
const DRAIN_MS = 30_000;

const unpack = promisify(gunzip);

/**
 * Reads the body and parses it in the format of its content type. Returns undefined for an empty body, unless the
 * format allows it.
 */
export async function readBody(request: Request, formats: readonly BodyFormat[]): Promise<unknown> {
  const encoding = encodingOf(request);
  const format = formats.find((each) => isWrittenAs(each, request) && canDecode(each, encoding));
  const whenEmpty = () => (format?.mayBeEmpty ? format.parse(Buffer.alloc(0)) : undefined);
  if (!hasBody(request)) return whenEmpty();
  const maxBytes = format?.maxBytes ?? Math.max(...formats.map((each) => each.maxBytes));
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw httpErrors.payloadTooLarge({ limit: maxBytes });
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return whenEmpty();
  if (!format) throw unsupported(formats);
  const unpacked = encoding === 'gzip' ? await unpackUpTo(format.maxBytes, bytes) : bytes;
  const context = currentRequest()!;
  context.bodyBytes = unpacked.length;
  await context.giveWay();
  format.check?.(unpacked);
  await context.giveWay();
  return format.parse(unpacked);
}

/**
 * Reads and drops the body of a route that takes none. The answer waits for the end of the body, as on other routes.
 */
export async function discardBody(request: Request): Promise<void> {
  let isMore = hasBody(request);
  while (isMore) if (request.read() === null) isMore = await hasMore(request);
}

/** Refuses a streamed body of another media type, or one with a content encoding. */
export async function checkMediaType(request: Request, format: StreamedBody): Promise<void> {
  if (encodingOf(request) !== 'identity') throw unsupported([format]);
  if (isWrittenAs(format, request)) return;
  const callsItselfJson = format.detectMediaType && isWrittenAs(JSON_BODY, request);
  const type = callsItselfJson ? await detectedType(request, format) : undefined;
  if (type === undefined) throw unsupported([format]);
  request.headers['content-type'] = type;
}

/** Enough for the boundary of a form, which has at most 70 characters, and the header of its first part. */
const BEGINNING_BYTES = 128;

/** Detects the media type from the first bytes, and puts them back for the receiver of the body. */
async function detectedType(request: Request, format: StreamedBody): Promise<string | undefined> {
  let bytes = Buffer.alloc(0);
  while (bytes.length < BEGINNING_BYTES) {
    const chunk = request.read() as Buffer | null;
    if (chunk) bytes = Buffer.concat([bytes, chunk]);
    else if (!(await hasMore(request))) return undefined;
    const type = format.detectMediaType?.(bytes);
    if (type === undefined) continue;
    request.unshift(bytes);
    return type;
  }
  return undefined;
}

/** Waits for more of the body. Returns false if its end has come. */
function hasMore(request: Request): Promise<boolean> {
  if (request.readableEnded || request.destroyed) return Promise.resolve(false);
  return new Promise((resolve, reject) => {
    const stop = (settle: () => void) => {
      clearTimeout(slow);
      request.off('readable', more).off('end', none).off('error', none).off('close', none);
      settle();
    };
    const more = () => stop(() => resolve(true));
    const none = () => stop(() => resolve(false));
    const slow = setTimeout(() => stop(() => reject(tooSlow(request))), BODY_TIMEOUT_MS);
    request.on('readable', more).once('end', none).once('error', none).once('close', none);
  });
}

export function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isWrittenAs(format: BodyFormat | StreamedBody, { headers }: Request): boolean {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  if (charset && !/^charset="?utf-?8"?$/.test(charset)) return false;
  return format.matches(type.trim());
}

function encodingOf({ headers }: Request): string {
  return headers['content-encoding']?.trim().toLowerCase() || 'identity';
}

function canDecode({ takesGzip = false }: BodyFormat, encoding: string): boolean {
  return encoding === 'identity' || (encoding === 'gzip' && takesGzip);
}

function unsupported(formats: readonly (BodyFormat | StreamedBody)[]): SlipwayError {
  const takesGzip = formats.some((format) => 'takesGzip' in format && format.takesGzip);
  return httpErrors.unsupportedMediaType({
    expected: formats.map((each) => `\`${each.mediaType}\``).join(' or '),
    encoding: takesGzip ? 'gzipped or not' : 'without content encoding',
  });
}

/** Stops unpacking at `limit`, because a small body may unpack to gigabytes. */
async function unpackUpTo(limit: number, bytes: Buffer): Promise<Buffer> {
  try {
    return await unpack(bytes, { maxOutputLength: limit });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? httpErrors.payloadTooLarge({ limit }) : httpErrors.malformedGzip();
  }
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

/** Calls `refuse` if the receiver of a streamed body has waited for a whole interval and nothing arrived. */
export function onStall(request: Request, refuse: (error: SlipwayError) => void): void {
  let arrived = -1;
  const look = setInterval(() => {
    const isWaitedFor = !request.isPaused() && request.readableLength === 0;
    if (isWaitedFor && request.socket.bytesRead === arrived) refuse(tooSlow(request));
    arrived = request.socket.bytesRead;
  }, BODY_TIMEOUT_MS).unref();
  request.once('close', () => clearInterval(look));
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
