/** The status of a call whose caller did not wait for the answer. */
const CALLER_LEFT = 499;

/** The provider itself may have answered this, or there was no status, as of a request that the model does not support. */
const NO_STATUS = 500;

const REASONS: Readonly<Partial<Record<number, string>>> = {
  401: 'The provider refused the key.',
  402: 'The provider asks for a payment.',
  403: 'The provider refused the key.',
  404: 'The provider does not know the model or the address.',
  408: 'The provider did not answer in time.',
  413: 'The provider refused the request because of its size.',
  429: 'The provider did not accept more requests at that moment.',
  [CALLER_LEFT]: 'The caller did not wait for the answer.',
};

interface Failed {
  statusCode: number;
  callId: string;
  /** The trace of the call, if it has been read. */
  trace: { observations: readonly { observationId: string; statusMessage: string }[] } | undefined;
}

/**
 * Says why a call failed. The ledger keeps the status of the provider, and no text of it, which may have secrets. If the
 * provider gave none, the step of the call in its trace has the reason.
 */
export function failureOf({ statusCode: status, callId, trace }: Failed): string {
  const step = trace?.observations.find(({ observationId }) => observationId === callId);
  if (status === NO_STATUS && step?.statusMessage) return step.statusMessage;
  const reason = REASONS[status];
  if (reason !== undefined) return reason;
  if (status < 300) return 'The answer of the provider broke off, was too large, or could not be read.';
  if (status < 400) return 'The provider answered with a redirect, which is not followed.';
  if (status < 500) return 'The provider refused the request.';
  if (status === NO_STATUS) {
    const known =
      'The ledger has only the status 500: the provider failed or gave no answer, or it was not asked at all.';
    return `${known} If Slipway sent it, the log of the process has more, at the time of the call.`;
  }
  return 'The provider failed.';
}
