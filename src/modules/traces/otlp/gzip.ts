import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { NextFunction, Request, Response } from 'express';
import { httpErrors } from '../../../platform/route/http.errors.js';
import type { BodyFormat } from '../../../platform/route/body-format.js';
import { tracesErrors } from '../traces.errors.js';

const unpack = promisify(gunzip);

/** No JSON and no protobuf message begins like this. */
const GZIP_BEGIN = Buffer.of(0x1f, 0x8b);

/** Routes refuse compressed bodies by their header. On this one the formats tell by the body itself. */
export function letGzipThrough({ headers }: Request, _response: Response, next: NextFunction): void {
  if (headers['content-encoding']?.toLowerCase() === 'gzip') delete headers['content-encoding'];
  next();
}

/** The format, compressed or not. Unpacking stops at the size that the format may have. */
export function orGzipped(format: BodyFormat): BodyFormat {
  return {
    ...format,
    parse: async (bytes) => {
      const isPacked = bytes.subarray(0, GZIP_BEGIN.length).equals(GZIP_BEGIN);
      return format.parse(isPacked ? await unpackUpTo(format.maxBytes, bytes) : bytes);
    },
  };
}

async function unpackUpTo(limit: number, bytes: Buffer): Promise<Buffer> {
  try {
    return await unpack(bytes, { maxOutputLength: limit });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? httpErrors.payloadTooLarge({ limit }) : tracesErrors.malformedGzip();
  }
}
