import type { Request } from 'express';

/** Negotiation takes time that grows with the header. No client needs a longer one, so it is not read. */
const MAX_ACCEPT_LENGTH = 4096;

/** Whether the client prefers `type` to JSON. */
export function prefers(request: Request, type: 'text/html' | 'application/problem+json'): boolean {
  if ((request.headers.accept?.length ?? 0) > MAX_ACCEPT_LENGTH) return false;
  return request.accepts(['application/json', type]) === type;
}
