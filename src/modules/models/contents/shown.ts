import { shortened } from '../../../kernel/shortened.js';

/** A name from the file, short and in one line. */
export function shown(name: string, length = 64): string {
  return JSON.stringify(shortened(name, length));
}
