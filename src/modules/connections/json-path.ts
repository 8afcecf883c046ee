const STEP = /\.?([^.[\]"']+)|\[(\d+)\]|\[(?:"([^"]*)"|'([^']*)')\]/y;

/**
 * Parses a path into a provider's answer, such as `choices[0].message.content`. Returns undefined if it is malformed.
 */
export function parseJsonPath(path: string): string[] | undefined {
  const text = path.trim().replace(/^\$\.?/, '');
  const steps: string[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const [, name, index, double, single] = STEP.exec(text) ?? [];
    const step = name ?? index ?? double ?? single;
    if (step === undefined) return undefined;
    steps.push(step.trim());
  }
  return steps.length > 0 ? steps : undefined;
}

/** Returns the value at the path, or undefined. */
export function readJsonPath(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((at, step) => {
    const hasStep = typeof at === 'object' && at !== null && Object.hasOwn(at, step);
    return hasStep ? (at as Record<string, unknown>)[step] : undefined;
  }, value);
}
