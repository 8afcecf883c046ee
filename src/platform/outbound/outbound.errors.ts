import { defineErrors } from '../../kernel/errors.js';

export const outboundErrors = defineErrors({
  addressNotAllowed: {
    status: 400,
    code: 'ADDRESS_NOT_ALLOWED',
    message:
      'The address in {member} {reason}. Give an http:// or https:// address of a public host, or have OUTBOUND_ALLOW_CIDRS opened for it by whoever runs this service.',
    example: { values: { member: 'fields.BASE_URL', reason: 'leads into a network that is closed to requests' } },
  },
});

export type OutboundFaultKind = 'address' | 'unreachable' | 'timeout' | 'tooLarge';

const SENTENCES: Record<OutboundFaultKind, string> = {
  address: 'The address leads into a network that is closed to requests',
  unreachable: 'The other side could not be reached, or ended the connection',
  timeout: 'The other side did not answer in time',
  tooLarge: 'The other side answered with more than is read',
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
