import type { Response } from 'express';
import { z } from 'zod';
import type { Answer } from '../route/answer.js';
import { OwnReply } from './own-reply.js';

/** The names of headers and their values. */
export type HeaderValues = Readonly<Record<string, string>>;

class HeadersOnly extends OwnReply {
  constructor(private readonly headers: HeaderValues) {
    super();
  }

  sendTo(response: Response): void {
    response.set(this.headers).end();
  }
}

/** The answer of a route whose result consists of headers. `descriptions` has those that there may be. */
export function headersOnly(descriptions: HeaderValues): Answer<HeaderValues> {
  return {
    schema: z.literal(''),
    result: z.record(z.string(), z.string()),
    hasBody: false,
    headers: descriptions,
    wrap: (result) => new HeadersOnly(result),
  };
}
