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
      .describe('Names this request in the logs; also in the header x-request-id.')
      .meta({ examples: [exampleId('request')] }),
    timestamp,
  })
  .meta({ id: 'Meta' });
export type Meta = z.infer<typeof Meta>;

/** What a route answers with: the schema, and how a result of the controller's method becomes it. */
export interface Answer<T> {
  schema: z.ZodType;
  /** Of the method's result, before it becomes the answer. */
  result: z.ZodType;
  /** With its parameters; JSON where none is said. */
  contentType?: string;
  /** Whether the answer to this body is a stream of events; never, where it is not said. Streams are counted. */
  isEventStream?(body: unknown): boolean;
  /** The types that the answer has instead where the request asks for one of them. */
  otherContentTypes?: readonly string[];
  /** By name, what it looks like where it is not always as the schema's example has it. */
  examples?: Readonly<Record<string, object>>;
  /** Whether a request may ask for a part of it with `Range`, and gets that with 206. */
  hasParts?: boolean;
  /** By name, what the headers tell that it has beside those of every answer. */
  headers?: Readonly<Record<string, string>>;
  wrap(result: T, meta: Meta): object | string | Promise<object>;
}

export function metaOf(requestId: string): Meta {
  return { requestId, timestamp: clock.now().toISOString() };
}

/** The result as it is. */
export function plain<View extends z.ZodType<object>>(view: View): Answer<z.output<View>> {
  return { schema: view, result: view, wrap: (result) => result };
}

/** The result as it is, shown by examples of the route: others have the same schema and fill other members of it. */
export function plainLike<View extends z.ZodType<object>>(
  view: View,
  examples: Readonly<Record<string, z.output<View>>>,
): Answer<z.output<View>> {
  return { ...plain(view), examples };
}

/** The result as text of this type. */
export function text(contentType: `text/${string}`, example: string): Answer<string> {
  const schema = z.string().meta({ examples: [example] });
  return { schema, result: schema, contentType, wrap: (result) => result };
}

/** The result is a stream of text of this type. What fails before its first piece is refused as anything else is. */
export function streamed(contentType: string, example: string): Answer<Readable> {
  const schema = z.string().meta({ examples: [example] });
  return {
    schema,
    result: z.instanceof(Readable),
    contentType,
    wrap: async (result) => {
      await once(result, 'readable');
      return new StreamableFile(result, { type: contentType });
    },
  };
}

/** The result's members beside `success` and `meta`. */
export function success<View extends z.ZodObject>(view: View): Answer<z.output<View>> {
  const schema = withExample(z.object({ success: z.literal(true), ...view.shape, meta: Meta }), {
    ...(exampleOf(view) as object),
  });
  return { schema, result: view, wrap: (result, meta) => ({ success: true, ...result, meta }) };
}

/** The result under `data`, as the administration answers. */
export function data<View extends z.ZodType>(view: View): Answer<z.output<View>> {
  const schema = withExample(z.object({ success: z.literal(true), data: view, meta: Meta }), { data: exampleOf(view) });
  return { schema, result: view, wrap: (result, meta) => ({ success: true, data: result, meta }) };
}

/** A page of rows under `data`, with the cursor of the next one. */
export function page<View extends z.ZodType>(view: View): Answer<Page<z.output<View>>> {
  const nextCursor = z.string().nullable().describe('Send it as `cursor` for the next page.');
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
