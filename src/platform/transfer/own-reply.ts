import type { Response } from 'express';

/** A result that sends itself instead of being rendered as others are. */
export abstract class OwnReply {
  abstract sendTo(response: Response): unknown;
}
