import type { z } from 'zod';
import { exampleOf } from '../../kernel/schema-example.js';

const NDJSON = 'application/x-ndjson';

interface MediaContent {
  schema: { type: 'string'; format?: 'binary' };
  example?: string;
}

/** Describes content of a type other than JSON. It is text or bytes, of which a schema cannot say more. */
export function mediaContent(mediaType: string, example?: string): MediaContent {
  const isText = mediaType.startsWith('text/') || mediaType === NDJSON;
  return {
    schema: { type: 'string', ...(!isText && { format: 'binary' }) },
    ...(example !== undefined && { example }),
  };
}

/** Describes a body in another format than JSON. The example of NDJSON has the rows of the JSON body's only member. */
export function bodyContent(mediaType: string, body: z.ZodType): MediaContent {
  return mediaContent(mediaType, mediaType === NDJSON ? linesOf(exampleOf(body) as object) : undefined);
}

function linesOf(body: object): string {
  const [rows = []] = Object.values(body) as unknown[][];
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
