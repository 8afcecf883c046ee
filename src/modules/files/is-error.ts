import { type DefinedError, SlipwayError } from '../../kernel/errors.js';

/** Whether an error is the one that was declared as this. */
export function isError(error: unknown, declared: DefinedError): boolean {
  return error instanceof SlipwayError && error.spec === declared.spec;
}
