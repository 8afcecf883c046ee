import type { z } from 'zod';
import { exampleOf } from '../../kernel/schema-example.js';

const NDJSON = 'application/x-ndjson';

interface MediaContent {
  schema: { type: 'string'; format?: 'binary' };
  example?: string;
}

/** What is sent under a type other than JSON: a text, or bytes, and no value that a schema could tell more of. */
export function mediaContent(mediaType: string, example?: string): MediaContent {
  const isText = mediaType.startsWith('text/') || mediaType === NDJSON;
  return {
    schema: { type: 'string', ...(!isText && { format: 'binary' }) },
    ...(example !== undefined && { example }),
  };
}

/** A body in another format than JSON. In one of lines, those of the JSON body's only member. */
export function bodyContent(mediaType: string, body: z.ZodType): MediaContent {
  return mediaContent(mediaType, mediaType === NDJSON ? linesOf(exampleOf(body) as object) : undefined);
}

function linesOf(body: object): string {
  const [rows = []] = Object.values(body) as unknown[][];
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
