import { OutboundFault, type OutboundFaultKind } from '../../../platform/outbound/outbound.errors.js';
import { NodeFailure } from '../node-kind.port.js';

const CODES: Record<OutboundFaultKind, string> = {
  address: 'ADDRESS_NOT_ALLOWED',
  unreachable: 'HTTP_UNREACHABLE',
  timeout: 'HTTP_TIMED_OUT',
  tooLarge: 'OUTPUT_TOO_LARGE',
};
const TRANSIENT_STATUSES = [408, 425, 429];

/** Translates a fault of the guarded client for the record of the run. Other errors stay as they are. */
export function toHttpFailure(error: unknown, input: object): unknown {
  if (!(error instanceof OutboundFault)) return error;
  const hasNoAnswer = error.kind === 'unreachable' || error.kind === 'timeout';
  return new NodeFailure(CODES[error.kind], `${error.message}.`, hasNoAnswer, input);
}

/** Whether the same request may succeed a moment later. */
export function isTransient(status: number): boolean {
  return TRANSIENT_STATUSES.includes(status) || status >= 500;
}
