import { createRequire } from 'node:module';

/** @type {unknown} */
const library = createRequire(import.meta.url)('@jest/test-sequencer');
const { default: Sequencer } = /** @type {typeof import('@jest/test-sequencer')} */ (library);

/** Test files that start whole processes or call every route begin first, so that short files fill the end. */
const LONG = ['/scripts/', '/contract/', '/start-and-stop', '/upgrades', '/revoke-across-processes', '/models/'];

export default class LongestFirst extends Sequencer {
  /**
   * @param {import('@jest/test-result').Test[]} tests
   * @override
   */
  async sort(tests) {
    const rank = (/** @type {{ path: string }} */ { path }) => Number(!LONG.some((part) => path.includes(part)));
    return [...(await super.sort(tests))].sort((a, b) => rank(a) - rank(b));
  }
}
