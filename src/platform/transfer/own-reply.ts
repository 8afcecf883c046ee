import type { Response } from 'express';

/** A result that is not rendered like others: it sends itself. */
export abstract class OwnReply {
  abstract sendTo(response: Response): unknown;
}
