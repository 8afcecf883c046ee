import type { Response } from 'express';
import type { z } from 'zod';
import type { SlipwayError } from '../../kernel/errors.js';
import type { Meta } from './answer.js';
import { ErrorBody, errorBody } from './error-body.js';

/** How a route's refusals look. */
export interface ErrorShape {
  /** For documentation, where the same errors look otherwise in another shape. */
  readonly name: string;
  /** With a name of its own, for documentation. */
  readonly schema: z.ZodType;
  /** Whether the body has the error's code. Where it has not, the header `x-error-code` does. */
  readonly hasCode: boolean;
  /** What a 401 asks for, as `www-authenticate`. */
  readonly challenge: string;
  body(error: SlipwayError, meta: Meta): object;
  /** For browsers, where the route is theirs. */
  page?(error: SlipwayError): { sendTo(response: Response): unknown };
}

export const USUAL_ERRORS: ErrorShape = {
  name: 'usual',
  schema: ErrorBody,
  hasCode: true,
  challenge: 'ApiKey realm="slipway", header="x-api-key"',
  body: errorBody,
};
