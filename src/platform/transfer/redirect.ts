import type { Response } from 'express';
import { z } from 'zod';
import type { Answer } from '../route/answer.js';
import { OwnReply } from './own-reply.js';

/** A route's result that sends a browser elsewhere. */
export class Redirect extends OwnReply {
  constructor(private readonly address: string) {
    super();
  }

  sendTo(response: Response): void {
    response.status(302).set({ location: this.address, 'cache-control': 'no-store' }).end();
  }
}

/** No body; the address is in `Location`. */
export function redirect(): Answer<Redirect> {
  const schema = z.string().meta({ examples: [''] });
  return {
    schema,
    result: z.instanceof(Redirect),
    contentType: 'text/plain',
    headers: { location: 'Where to go on.' },
    wrap: (result) => result,
  };
}
