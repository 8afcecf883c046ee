/** A process that loads this file has a clock that is ten minutes ahead. */
const MINUTES_AHEAD = 10;
const System = globalThis.Date;

globalThis.Date = /** @type {DateConstructor} */ (
  class extends System {
    /** @param {[]} given */
    constructor(...given) {
      if (given.length === 0) super(System.now() + MINUTES_AHEAD * 60_000);
      else super(...given);
    }

    /** @override */
    static now() {
      return System.now() + MINUTES_AHEAD * 60_000;
    }
  }
);
