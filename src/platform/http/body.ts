import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Request } from 'express';
import type { SlipwayError } from '../../kernel/errors.js';
import { type BodyFormat, JSON_BODY, type StreamedBody } from '../route/body-format.js';
import { httpErrors } from '../route/http.errors.js';

/** A body that takes longer than this to arrive is cut; one that is taken in as it arrives, when nothing comes for so long. */
const BODY_TIMEOUT_MS = 30_000;
/** After a refusal the rest of a body is still read for a while: a client that writes does not see an answer. */
const DRAIN_MS = 30_000;

const unpack = promisify(gunzip);

/** Reads the body and parses it by the format it is in. Returns undefined for an empty one that says nothing. */
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
  return format.parse(encoding === 'gzip' ? await unpackUpTo(format.maxBytes, bytes) : bytes);
}

/** Lets a body pass that nobody looks at; the answer waits for its end, as with any other. */
export async function passOverBody(request: Request): Promise<void> {
  let isMore = hasBody(request);
  while (isMore) if (request.read() === null) isMore = await hasMore(request);
}

/** Of one that is taken in as it arrives: whether it is what it has to be. */
export async function checkMediaType(request: Request, format: StreamedBody): Promise<void> {
  if (encodingOf(request) !== 'identity') throw unsupported([format]);
  if (isWrittenAs(format, request)) return;
  const callsItselfJson = format.typeOfBeginning && isWrittenAs(JSON_BODY, request);
  const type = callsItselfJson ? await typeInBeginning(request, format) : undefined;
  if (type === undefined) throw unsupported([format]);
  request.headers['content-type'] = type;
}

/** The boundary of a form, of 70 characters at most, and the header of its first part. */
const BEGINNING_BYTES = 128;

/** Looks at no more of the body than tells what it is, and puts that back for whoever reads the whole. */
async function typeInBeginning(request: Request, format: StreamedBody): Promise<string | undefined> {
  let bytes = Buffer.alloc(0);
  while (bytes.length < BEGINNING_BYTES) {
    const chunk = request.read() as Buffer | null;
    if (chunk) bytes = Buffer.concat([bytes, chunk]);
    else if (!(await hasMore(request))) return undefined;
    const type = format.typeOfBeginning?.(bytes);
    if (type === undefined) continue;
    request.unshift(bytes);
    return type;
  }
  return undefined;
}

/** Waits for more of the body; false where there is none. */
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

function hasBody({ headers }: Request): boolean {
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
    expected: formats.map((each) => each.mediaType).join(' or '),
    encoding: takesGzip ? 'gzipped or not' : 'without content encoding',
  });
}

/** Unpacking stops at the size that the body may have. */
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

/** Looks now and then at a body that is taken in as it arrives: it has stalled if it is waited for and nothing came. */
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
