import { once } from 'node:events';
import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { z } from 'zod';
import { clock } from '../../kernel/clock.js';
import { exampleId } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import { timestamp } from '../../kernel/schema.js';
import { exampleOf } from '../../kernel/schema-example.js';

export const Meta = z
  .object({
    requestId: z
      .string()
      .describe('The id of this request, which is also in the logs and in the header x-request-id.')
      .meta({ examples: [exampleId('request')] }),
    timestamp,
  })
  .meta({ id: 'Meta' });
export type Meta = z.infer<typeof Meta>;

/** The answer of a route: its schema, and how the result of the controller's method becomes it. */
export interface Answer<T> {
  schema: z.ZodType;
  /** The schema of the method's result, before it becomes the answer. */
  result: z.ZodType;
  /** Whether the answer has a body. The default is yes. */
  hasBody?: boolean;
  /** The media type with its parameters. The default is JSON. */
  contentType?: string;
  /**
   * Whether the answer to this body is a stream of events, of which a key may have only some open. The default is no.
   */
  isEventStream?(body: unknown): boolean;
  /** The media types that a request may ask for instead. */
  otherContentTypes?: readonly string[];
  /** Examples by name, for an answer that the one example of its schema does not show. */
  examples?: Readonly<Record<string, object>>;
  /** Whether a request may ask for a part with `Range`, which is answered with 206. */
  supportsRange?: boolean;
  /** The descriptions, by name, of headers that other answers do not have. */
  headers?: Readonly<Record<string, string>>;
  /** Returns undefined for an answer without a body. */
  wrap(result: T, meta: Meta): object | string | Promise<object> | undefined;
}

export function metaOf(requestId: string): Meta {
  return { requestId, timestamp: clock.now().toISOString() };
}

/** Answers with the result unchanged. */
export function plain<View extends z.ZodType<object>>(view: View): Answer<z.output<View>> {
  return { schema: view, result: view, wrap: (result) => result };
}

/** Answers with the result unchanged. The route has its own examples, because other routes share the schema. */
export function plainWithExamples<View extends z.ZodType<object>>(
  view: View,
  examples: Readonly<Record<string, z.output<View>>>,
): Answer<z.output<View>> {
  return { ...plain(view), examples };
}

/** Answers with the result as text of this type. */
export function text(contentType: `text/${string}`, example: string): Answer<string> {
  const schema = z.string().meta({ examples: [example] });
  return { schema, result: schema, contentType, wrap: (result) => result };
}

/**
 * Answers with a stream of text of this type. An error before the first chunk is answered as on any other route.
 * Browsers save the text under the name of the file, if there is one.
 */
export function streamed(contentType: string, example: string, fileName?: string): Answer<Readable> {
  const schema = z.string().meta({ examples: [example] });
  return {
    schema,
    result: z.instanceof(Readable),
    contentType,
    ...(fileName !== undefined && {
      headers: { 'content-disposition': 'The file name to save the content under.' },
    }),
    wrap: async (result) => {
      await once(result, 'readable');
      return new StreamableFile(result, {
        type: contentType,
        ...(fileName !== undefined && { disposition: `attachment; filename="${fileName}"` }),
      });
    },
  };
}

/** Answers with the members of the result beside `success` and `meta`. */
export function success<View extends z.ZodObject>(view: View): Answer<z.output<View>> {
  const schema = withExample(z.object({ success: z.literal(true), ...view.shape, meta: Meta }), {
    ...(exampleOf(view) as object),
  });
  return { schema, result: view, wrap: (result, meta) => ({ success: true, ...result, meta }) };
}

/** Answers with the result under `data`, as the routes of the administration do. */
export function data<View extends z.ZodType>(view: View): Answer<z.output<View>> {
  const schema = withExample(z.object({ success: z.literal(true), data: view, meta: Meta }), { data: exampleOf(view) });
  return { schema, result: view, wrap: (result, meta) => ({ success: true, data: result, meta }) };
}

/** Answers with a page of rows under `data`, and with the cursor of the next page. */
export function page<View extends z.ZodType>(view: View): Answer<Page<z.output<View>>> {
  const nextCursor = z.string().nullable().describe('The `cursor` of the next page, or null on the last one.');
  const schema = withExample(
    z.object({ success: z.literal(true), data: z.array(view), meta: Meta.extend({ nextCursor }) }),
    { data: [exampleOf(view)] },
  );
  return {
    schema,
    result: z.object({ items: z.array(view), nextCursor }),
    wrap: ({ items, nextCursor: next }, meta) => ({ success: true, data: items, meta: { ...meta, nextCursor: next } }),
  };
}

function withExample(schema: z.ZodObject, members: object): z.ZodType {
  return schema.meta({ examples: [{ ...(exampleOf(schema) as object), ...members }] });
}
