import { NodeFailure } from '../node-kind.port.js';

interface Retry {
  attempts: number;
  delayMs: number;
}

/**
 * Returns the pause before the next attempt of a node, or undefined if the error is not transient or no attempt is
 * left.
 */
export function pausesOf({ attempts, delayMs }: Retry = { attempts: 1, delayMs: 0 }) {
  return (error: unknown, tried: number): number | undefined =>
    error instanceof NodeFailure && error.isTransient && tried < attempts ? delayMs * 2 ** (tried - 1) : undefined;
}
