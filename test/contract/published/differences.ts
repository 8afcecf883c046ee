/** The placeholders of shapes. A text between slashes is a pattern. */
const KINDS: Record<string, (value: unknown) => boolean> = {
  '<absent>': (value) => value === undefined,
  '<number>': (value) => typeof value === 'number',
  '<text>': (value) => typeof value === 'string',
  '<list>': Array.isArray,
};

/** Returns the places where the answer differs from the shape. It may have members that the shape does not name. */
export function differences(shape: unknown, answer: unknown, at = 'answer'): string[] {
  if (shape === undefined) return [];
  if (typeof shape === 'string') return fits(shape, answer) ? [] : [differenceAt(at, shape, answer)];
  if (Array.isArray(shape)) {
    if (!Array.isArray(answer) || answer.length !== shape.length) return [differenceAt(at, shape, answer)];
    return shape.flatMap((each, index) => differences(each, answer[index], `${at}.${index}`));
  }
  if (typeof shape !== 'object' || shape === null)
    return Object.is(shape, answer) ? [] : [differenceAt(at, shape, answer)];
  if (typeof answer !== 'object' || answer === null) return [differenceAt(at, shape, answer)];
  return Object.entries(shape).flatMap(([name, part]) => differences(part, memberAt(answer, name), `${at}.${name}`));
}

function fits(shape: string, value: unknown): boolean {
  const kind = KINDS[shape];
  if (kind) return kind(value);
  const [, pattern] = /^\/(.+)\/$/.exec(shape) ?? [];
  if (pattern !== undefined) return typeof value === 'string' && new RegExp(pattern).test(value);
  return value === shape;
}

function differenceAt(at: string, shape: unknown, value: unknown): string {
  return `${at} is ${JSON.stringify(value)} and not ${JSON.stringify(shape)}`;
}

/** Returns the member at a path such as `session.sessionId` or `events.0.name`. */
export function memberAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);
}
