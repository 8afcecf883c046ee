import { printCheck } from './keys-check.mjs';
import { printRace } from './keys-race.mjs';

/**
 * Checks two rules of API keys. Checking a key takes one indexed read, and none if it is mistyped. Once a revocation is
 * answered, no process runs a request with the key, and no request of the key takes effect.
 * @param {import('./environment.mjs').Environment} environment
 */
export default async function run(environment) {
  const isCheap = await printCheck(environment);
  console.log();
  const isFinal = await printRace(environment);
  return isCheap && isFinal;
}
