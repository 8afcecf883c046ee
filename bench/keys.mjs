import { printChanges } from './keys-changes.mjs';
import { printCheck } from './keys-check.mjs';
import { printRace } from './keys-race.mjs';

/**
 * Checks three rules of API keys. A key that a process knows costs no statement, an unknown one an indexed read, and a
 * mistyped one nothing. Every process obeys a change of a key from its answer on. Once a revocation is answered, no
 * process runs a request with the key, and no request of the key takes effect.
 * @param {import('./environment.mjs').Environment} environment
 */
export default async function run(environment) {
  const isCheap = await printCheck(environment);
  console.log();
  const isExact = await printChanges(environment);
  console.log();
  const isFinal = await printRace(environment);
  return isCheap && isExact && isFinal;
}
