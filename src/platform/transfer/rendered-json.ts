import type { Response } from 'express';
import { z } from 'zod';
import type { Answer } from '../route/answer.js';
import { OwnReply } from './own-reply.js';

/** JSON whose middle was rendered where it is stored, and may be long. */
export class RenderedJson extends OwnReply {
  constructor(
    private readonly head: string,
    private readonly middle: string,
    private readonly tail: string,
  ) {
    super();
  }

  /** Writes the texts one by one into a corked response, because joining long texts first would copy them. */
  sendTo(response: Response): void {
    const texts = [this.head, this.middle, this.tail];
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.setHeader('content-length', bytes);
    response.cork();
    for (const text of texts) response.write(text);
    response.end();
  }
}

/** The answer of a route whose result already is the JSON of the view. */
export function rendered(view: z.ZodType, headers: Answer<RenderedJson>['headers'] = {}): Answer<RenderedJson> {
  return { schema: view, result: z.instanceof(RenderedJson), headers, wrap: (result) => result };
}
