import { printCheck } from './keys-check.mjs';
import { printRace } from './keys-race.mjs';

/**
 * What holds for API keys: one indexed read to check one, none where it is mistyped; and once its revocation is
 * answered nothing works with it, in no process, nor takes effect.
 * @param {import('./environment.mjs').Environment} environment
 */
export default async function run(environment) {
  const isCheap = await printCheck(environment);
  console.log();
  const isFinal = await printRace(environment);
  return isCheap && isFinal;
}
