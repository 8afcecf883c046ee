import fc, { type Arbitrary } from 'fast-check';
import { replaceAt, textsIn } from './leaves.js';
import { NAUGHTY_STRINGS, ODD_VALUES } from './naughty.js';

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
