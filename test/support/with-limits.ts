import { SERVER_LIMITS } from '../../src/platform/database/orm-options.js';

/** Gives the connections of an address the time limits that a role behind a pooler has. */
export function withLimits(url: string): string {
  const limited = new URL(url);
  const options = Object.entries(SERVER_LIMITS).map(([name, ms]) => `-c ${name}=${ms}`);
  limited.searchParams.set('options', options.join(' '));
  return limited.href;
}
