import type { Response } from 'express';
import type { z } from 'zod';
import type { ErrorSpec, SlipwayError } from '../../kernel/errors.js';
import type { Meta } from './answer.js';
import { ErrorBody, errorBody } from './error-body.js';

/** The format of a route's refusals. */
export interface ErrorShape {
  /** Tells the documented responses of one shape from those of another with the same errors. */
  readonly name: string;
  /** The schema of the body. It needs an `id`, because the documentation refers to it. */
  readonly schema: z.ZodType;
  /** Whether the body contains the error's code. Otherwise, the header `x-error-code` does. */
  readonly hasCode: boolean;
  /** The header `www-authenticate` of a 401. */
  readonly challenge: string;
  /** The status of a refusal, if clients of the route expect another one than the error's. */
  statusOf?(spec: ErrorSpec, verb: string): number;
  body(error: SlipwayError, meta: Meta): object;
  /** The page for a browser, on routes that people visit. */
  page?(error: SlipwayError): { sendTo(response: Response): unknown };
}

export const DEFAULT_ERROR_SHAPE: ErrorShape = {
  name: 'usual',
  schema: ErrorBody,
  hasCode: true,
  challenge: 'ApiKey realm="slipway", header="x-api-key"',
  body: errorBody,
};

/** Returns the status with which a route of this shape answers an error. */
export function statusIn(shape: ErrorShape, spec: ErrorSpec, verb: string): number {
  return shape.statusOf?.(spec, verb) ?? spec.status;
}
