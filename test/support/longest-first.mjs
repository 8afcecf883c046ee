import { createRequire } from 'node:module';
import { declares } from './typescript.mjs';

/** @type {unknown} */
const library = createRequire(import.meta.url)('@jest/test-sequencer');
const { default: Sequencer } = /** @type {typeof import('@jest/test-sequencer')} */ (library);

/** Test files that start whole processes or call every route begin first, so that short files fill the end. */
const LONG = [
  '/scripts/',
  '/contract/',
  '/demo/',
  '/models/',
  '/plugin',
  '/change-across-processes',
  '/revoke-across-processes',
  '/computing-for-strangers',
  '/open-api-shapes',
  '/redis-',
  '/start-and-stop',
  '/upgrades',
];

export default class LongestFirst extends Sequencer {
  /**
   * @param {import('@jest/test-result').Test[]} tests
   * @override
   */
  async sort(tests) {
    return [...(await super.sort(tests))].sort((a, b) => rank(a) - rank(b));
  }
}

/**
 * Files that declare something come before all others. Such a file and the next one load the service again, so beside one
 * another they load it half as often.
 * @param {{ path: string }} test
 */
function rank({ path }) {
  if (declares(path)) return 0;
  return LONG.some((part) => path.includes(part)) ? 1 : 2;
}
