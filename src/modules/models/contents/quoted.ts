import { shortened } from '../../../kernel/shortened.js';

/** Returns a name from a file in quotes, shortened and in one line. */
export function quoted(name: string, length = 64): string {
  return JSON.stringify(shortened(name, length));
}
