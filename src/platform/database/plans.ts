/** Every connection keeps every plan. Of texts a program has only so many; those beyond are planned each time. */
const MOST_PLANS = 1_000;

const names = new Map<string, string>();

/** By which connections keep the plan of a statement; none where there are too many. */
export function nameOfPlan(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  // A migration that adds a column would break it in every process that has it from before.
  if (OF_ALL_COLUMNS.test(text)) throw new Error(`A planned statement names its columns: ${text}`);
  if (names.size >= MOST_PLANS) return undefined;
  const name = `slipway-${names.size + 1}`;
  names.set(text, name);
  return name;
}

/** At the top, behind the last of the parts that come `with` it, or returned. */
const OF_ALL_COLUMNS = /(^|\)\s)\s*select (\w+\.)?\*|returning (\w+\.)?\*\s*$/;
