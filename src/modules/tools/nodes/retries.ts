import { NodeFailure } from './node-kind.js';

interface Retry {
  attempts: number;
  delayMs: number;
}

/** After what may go well a moment later, a node pauses, and tries again as often as it says. */
export function pausesOf({ attempts, delayMs }: Retry = { attempts: 1, delayMs: 0 }) {
  return (error: unknown, tried: number): number | undefined =>
    error instanceof NodeFailure && error.isTransient && tried < attempts ? delayMs * 2 ** (tried - 1) : undefined;
}
