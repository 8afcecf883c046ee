import { type Context, defaultOperators, type Emitter, type FilterImplOptions, Liquid, toValue } from 'liquidjs';

const MAX_TEMPLATE_CHARACTERS = 100_000;
/** Of all texts of one value, together. The engine looks at it seldom: whatever holds it longer is ended with its thread. */
const MAX_RENDER_MS = 1_000;
const MAX_MEMORY = 10_000_000;

/** Reads no files: there is nothing to include. */
export const engine = new Liquid({
  templates: {},
  ownPropertyOnly: true,
  strictFilters: true,
  parseLimit: MAX_TEMPLATE_CHARACTERS,
  renderLimit: MAX_RENDER_MS,
  memoryLimit: MAX_MEMORY,
  operators: Object.fromEntries(
    Object.entries(defaultOperators).map(([name, run]) => [name, boundedOperator(name, run)]),
  ),
});

/** Of these each item costs an evaluation, between which nobody looks at the time. */
const COSTLY = ['where_exp', 'reject_exp', 'group_by_exp', 'has_exp', 'find_exp', 'find_index_exp'];
/** Of the memory that a template may take, for each item of a list that a filter is given. */
const ITEM_COST = 5;
const SORTED_ITEM_COST = 50;
/** Of each item is read what stands at a path: that costs more, the longer the path is. */
const READS = /^(find|find_index|group_by|has|map|reject|sort|sort_natural|sum|where)$/;
const READING_COST = 20;
/** Each character of the format of a date may ask for a calendar of its own. */
const DATE_FORMAT_COST = 2_000;
/** A search may compare every character of one text with every one of the other: this many of them cost one. */
const COMPARISONS = 50;
const SEARCHES = /^(split|(remove|replace)(_first|_last)?)$/;
/** What is not a text stays as it is for these; the others make one of it. */
const TAKE_LISTS =
  /^(array_to_sentence_string|compact|concat|default|find|find_index|first|group_by|has|inspect|join|json|jsonify|last|map|pop|push|raw|reject|reverse|sample|shift|size|slice|sort|sort_natural|sum|uniq|unshift|where)$/;

type FilterHandler = Extract<FilterImplOptions, (...given: never[]) => unknown>;
type OperatorHandler = (typeof defaultOperators)[string];

for (const name of COSTLY) delete engine.filters[name];
for (const [name, filter] of Object.entries(engine.filters)) engine.filters[name] = boundedFilter(name, filter);

/** What tags keep, such as `capture`, is memory too. */
const render = engine.renderer.renderTemplates.bind(engine.renderer);
engine.renderer.renderTemplates = (templates, context, emitter) =>
  render(templates, context, emitter ?? new Written((characters) => context.memoryLimit.use(characters)));

/** A text as it is written, whose length counts. */
export class Written implements Emitter {
  buffer = '';

  constructor(private readonly use: (characters: number) => void) {}

  write(value: unknown): void {
    this.buffer += textOf(value, this.use);
  }
}

/** As the engine writes it down: a list may hold one text, or another list, very many times. */
function textOf(given: unknown, use: (characters: number) => void): string {
  const value = toValue(given) as unknown[] | string | number | null | undefined;
  if (Array.isArray(value)) {
    use(value.length);
    return value.map((item) => textOf(item, use)).join('');
  }
  const text = value === undefined || value === null ? '' : String(value);
  use(text.length);
  return text;
}

/** Looks at the time, and at how much it is given, before it begins: the engine looks between tags only. */
function boundedFilter(name: string, filter: FilterImplOptions): FilterImplOptions {
  const { handler, raw } = typeof filter === 'function' ? { handler: filter, raw: false } : filter;
  const careful: FilterHandler = function* careful(value: unknown, ...given: unknown[]): Generator<unknown, unknown> {
    const { context } = this;
    context.renderLimit.check(performance.now());
    const taken = TAKE_LISTS.test(name) ? [value, ...given] : [value, ...given].map((one) => asText(context, one));
    useWhatItTakes(context, name, taken);
    const result: unknown = yield handler.call(this, taken[0], ...taken.slice(1));
    useItems(context, result, 1);
    return result;
  };
  return { handler: careful, raw };
}

function useWhatItTakes(context: Context, name: string, [value, first]: readonly unknown[]): void {
  const { memoryLimit } = context;
  const written = typeof first === 'string' ? first.length : 0;
  if (SEARCHES.test(name)) useSearch(context, String(value), String(first));
  if (name === 'date') memoryLimit.use(DATE_FORMAT_COST * written);
  if (name === 'sample' && typeof value === 'string') memoryLimit.use(SORTED_ITEM_COST * value.length);
  const cost = /^(sort|sample)/.test(name) ? SORTED_ITEM_COST : ITEM_COST;
  useItems(context, value, READS.test(name) && first !== undefined ? cost + READING_COST * (4 + written) : cost);
}

function boundedOperator(name: string, run: OperatorHandler): OperatorHandler {
  return function* careful(left: unknown, right: unknown, context: Context) {
    // What `not` has is one value and the context.
    const { renderLimit } = name === 'not' ? (right as Context) : context;
    renderLimit.check(performance.now());
    if (name === 'not') return (yield run(left, right, context)) as boolean;
    useItems(context, left, ITEM_COST);
    useItems(context, right, ITEM_COST);
    if (name === 'contains' && typeof left === 'string') useSearch(context, left, String(right));
    return (yield run(left, right, context)) as boolean;
  } as OperatorHandler;
}

function asText(context: Context, value: unknown): unknown {
  return Array.isArray(value) ? textOf(value, (characters) => context.memoryLimit.use(characters)) : value;
}

function useSearch({ memoryLimit }: Context, text: string, pattern: string): void {
  memoryLimit.use((text.length * pattern.length) / COMPARISONS);
}

/** The items of a list and of the lists in it, each as often as it is there. */
function useItems(context: Context, value: unknown, cost: number): void {
  if (!Array.isArray(value)) return;
  context.memoryLimit.use(cost * value.length);
  for (const item of value) useItems(context, item, cost);
}
