import fc, { type Arbitrary } from 'fast-check';
import { replaceAt, textsIn } from './leaves.js';
import { NAUGHTY_STRINGS } from './naughty.js';

/** Values that belong in no place. */
export const ODD_VALUES: unknown[] = [
  ...NAUGHTY_STRINGS,
  ...['', ' ', '\0', '\uD800', 'x'.repeat(100_000), '\n'],
  ...[0, -1, 1.5, 1e21, -1e308, Number.MAX_SAFE_INTEGER, 2 ** 31, 2 ** 63],
  ...[true, false, null, [], {}, [[]], [null], { a: { b: {} } }, Array.from({ length: 2000 }, () => 0)],
];

/** The good body with one or more spoilt values. */
export function spoilt(body: unknown): Arbitrary<unknown> {
  const good = (body ?? {}) as Record<string, unknown>;
  const members = [...Object.keys(good), ...NAUGHTY_STRINGS].map((name) => [name]);
  const places = fc.constantFrom(...members, ...textsIn(good));
  const changes = fc.array(fc.tuple(places, fc.constantFrom(...ODD_VALUES)), { minLength: 1, maxLength: 5 });
  const whole = changes.map((all) => all.reduce((at, [path, value]) => replacedIn(at, path, value), good as unknown));
  return fc.oneof(
    { weight: 3, arbitrary: whole },
    { weight: 2, arbitrary: whole.chain((at) => fc.constantFrom([at], { body: at })) },
  );
}

/** Returns the value unchanged if an earlier change has removed this place. */
function replacedIn(value: unknown, path: (string | number)[], replacement: unknown): unknown {
  try {
    return replaceAt(value, path, replacement);
  } catch {
    return value;
  }
}
