import { isJsonObject } from './json.js';
import { forEachInSteps } from './turns.js';

/** `JSON.stringify` renders a value of this many characters in a moment. */
const SHORT = 65_536;

/**
 * Renders JSON values as `JSON.stringify` does, and gives way whenever that has taken a while. `JSON.stringify` takes
 * 0.3 seconds for a text of 17 MB, and nothing else runs meanwhile.
 */
export async function stringifyInSteps(values: readonly unknown[]): Promise<string[]> {
  const texts = values.map(() => '');
  await forEachInSteps(partsOfAll(values), ({ index, part }) => (texts[index] += part));
  return texts;
}

function* partsOfAll(values: readonly unknown[]): Generator<{ index: number; part: string }> {
  for (const [index, value] of values.entries()) for (const part of partsOf(value)) yield { index, part };
}

function* partsOf(value: unknown): Generator<string> {
  if (isShort(value)) yield JSON.stringify(value);
  else if (typeof value === 'string') yield* partsOfString(value);
  else if (Array.isArray(value)) yield* partsOfArray(value);
  else yield* partsOfObject(Object.entries(value as object));
}

function* partsOfString(text: string): Generator<string> {
  yield '"';
  for (let from = 0; from < text.length;) {
    const to = isHighSurrogate(text, from + SHORT - 1) ? from + SHORT + 1 : from + SHORT;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}

function* partsOfArray(items: readonly unknown[]): Generator<string> {
  yield '[';
  for (const [index, item] of items.entries()) {
    if (index > 0) yield ',';
    yield* partsOf(item ?? null);
  }
  yield ']';
}

function* partsOfObject(members: readonly [string, unknown][]): Generator<string> {
  const defined = members.filter(([, value]) => value !== undefined);
  yield '{';
  for (const [index, [name, value]] of defined.entries()) {
    yield `${index > 0 ? ',' : ''}${JSON.stringify(name)}:`;
    yield* partsOf(value);
  }
  yield '}';
}

/** The halves of a pair would be escaped if they were rendered separately. */
function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xd800 && code < 0xdc00;
}

function isShort(value: unknown): boolean {
  return leftAfter(value, SHORT) >= 0;
}

/** Subtracts the approximate length of a value from `left`, and stops when nothing is left. */
function leftAfter(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length;
  if (Array.isArray(value)) return leftAfterEach(value, left);
  if (isJsonObject(value)) return leftAfterEach(Object.values(value), left);
  return left - 1;
}

function leftAfterEach(values: readonly unknown[], left: number): number {
  for (const value of values) {
    left = leftAfter(value, left - 1);
    if (left < 0) break;
  }
  return left;
}
