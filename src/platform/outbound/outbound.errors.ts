import { defineErrors } from '../../kernel/errors.js';

export const outboundErrors = defineErrors({
  addressNotAllowed: {
    status: 400,
    code: 'ADDRESS_NOT_ALLOWED',
    message:
      'The address in {member} {reason}. Send an http:// or https:// address of a public host, or ask the administrator to allow it in OUTBOUND_ALLOW_CIDRS.',
    example: { values: { member: 'fields.BASE_URL', reason: 'is in a network that is closed to requests' } },
  },
});

export type OutboundFaultKind = 'address' | 'unreachable' | 'timeout' | 'tooLarge';

const SENTENCES: Record<OutboundFaultKind, string> = {
  address: 'The address is in a network that is closed to requests',
  unreachable: 'The server could not be reached, or closed the connection',
  timeout: 'The server did not answer in time',
  tooLarge: 'The answer of the server exceeds the size limit',
};

/** An outgoing request without a complete answer. The message contains nothing that the other side sent. */
export class OutboundFault extends Error {
  constructor(
    readonly kind: OutboundFaultKind,
    cause?: unknown,
  ) {
    super(SENTENCES[kind], { cause });
    this.name = 'OutboundFault';
  }
}
