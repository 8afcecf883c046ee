import { dice } from './dice.js';
import { replaceAt, textsIn } from './leaves.js';
import { NAUGHTY_STRINGS } from './naughty.js';

/** Values that belong in no place. */
export const ODD_VALUES: unknown[] = [
  ...NAUGHTY_STRINGS,
  ...['', ' ', '\0', '\uD800', 'x'.repeat(100_000), '\n'],
  ...[0, -1, 1.5, 1e21, -1e308, Number.MAX_SAFE_INTEGER, 2 ** 31, 2 ** 63],
  ...[true, false, null, [], {}, [[]], [null], { a: { b: {} } }, Array.from({ length: 2000 }, () => 0)],
];

/** Makes one body for each seed: the good body with one or more spoilt values. */
export function spoil(body: unknown, seed: number): unknown {
  const roll = dice(seed);
  const good = (body ?? {}) as Record<string, unknown>;
  const places = [
    ...Object.keys(good).map((name) => [name]),
    ...textsIn(good),
    ...NAUGHTY_STRINGS.map((name) => [name]),
  ];
  let spoilt: unknown = good;
  for (const _time of Array.from({ length: roll([1, 1, 2, 5]) })) {
    const [first = '', ...rest] = roll(places);
    const path = first in (spoilt as object) ? [first, ...rest] : [first];
    try {
      spoilt = replaceAt(spoilt, path, roll(ODD_VALUES));
    } catch {
      // An earlier change has removed this place.
    }
  }
  return roll([spoilt, spoilt, spoilt, [spoilt], { body: spoilt }]);
}
