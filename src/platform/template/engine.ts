import type * as Liquids from 'liquidjs';
import type { Context, Emitter, FilterImplOptions, Liquid } from 'liquidjs';
import { once } from '../../kernel/once.js';
import { loadedOnUse } from '../memory/loaded-on-use.js';

const MAX_TEMPLATE_CHARACTERS = 100_000;
/**
 * The time for all texts of one value together. The engine checks it rarely; work that exceeds it by much is terminated
 * with its thread.
 */
const MAX_RENDER_MS = 1_000;
const MAX_MEMORY = 10_000_000;

/** These filters evaluate an expression for each item, and the engine does not check the time in between. */
const COSTLY = ['where_exp', 'reject_exp', 'group_by_exp', 'has_exp', 'find_exp', 'find_index_exp'];
/** The cost that each item of a filter's list adds towards the memory limit. */
const ITEM_COST = 5;
const SORTED_ITEM_COST = 50;
/** These filters read a path in each item, which costs more the longer the path is. */
const READS = /^(find|find_index|group_by|has|map|reject|sort|sort_natural|sum|where)$/;
const READING_COST = 20;
/** Each character of a date's format may need a calendar of its own. */
const DATE_FORMAT_COST = 2_000;
/**
 * A search may compare every character of one text with every one of the other. This many comparisons cost one unit.
 */
const COMPARISONS = 50;
const SEARCHES = /^(split|(remove|replace)(_first|_last)?)$/;
/** These filters take a value as it is; the others turn it into a text first. */
const TAKE_LISTS =
  /^(array_to_sentence_string|compact|concat|default|find|find_index|first|group_by|has|inspect|join|json|jsonify|last|map|pop|push|raw|reject|reverse|sample|shift|size|slice|sort|sort_natural|sum|uniq|unshift|where)$/;

type FilterHandler = Extract<FilterImplOptions, (...given: never[]) => unknown>;
type OperatorHandler = (typeof Liquids.defaultOperators)[string];

export const liquid = loadedOnUse<typeof Liquids>('liquidjs');

/** Returns the engine, which is the same at each call. */
export const engine = once(makeEngine);

/** The engine reads no files, because there is nothing to include. */
function makeEngine(): Liquid {
  const { Liquid, defaultOperators } = liquid();
  const engine = new Liquid({
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
  for (const name of COSTLY) delete engine.filters[name];
  for (const [name, filter] of Object.entries(engine.filters)) engine.filters[name] = boundedFilter(name, filter);
  const render = engine.renderer.renderTemplates.bind(engine.renderer);
  // A text that a tag such as `capture` keeps counts towards the memory limit.
  engine.renderer.renderTemplates = (templates, context, emitter) =>
    render(templates, context, emitter ?? new Written((characters) => context.memoryLimit.use(characters)));
  return engine;
}

/** Collects a text as it is written, and counts its length. */
export class Written implements Emitter {
  buffer = '';

  constructor(private readonly use: (characters: number) => void) {}

  write(value: unknown): void {
    this.buffer += textOf(value, this.use);
  }
}

/**
 * Converts a value to text as the engine does, and counts its length on the way, because a list may contain one text or
 * another list very many times.
 */
function textOf(given: unknown, use: (characters: number) => void): string {
  const value = liquid().toValue(given) as unknown[] | string | number | null | undefined;
  if (Array.isArray(value)) {
    use(value.length);
    return value.map((item) => textOf(item, use)).join('');
  }
  const text = value === undefined || value === null ? '' : String(value);
  use(text.length);
  return text;
}

/** Checks the time and the size of its input before a filter runs, because the engine checks only between tags. */
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
    // The operator `not` receives one value and the context.
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

/** Counts the items of a list and of the lists in it, each as often as it occurs. */
function useItems(context: Context, value: unknown, cost: number): void {
  if (!Array.isArray(value)) return;
  context.memoryLimit.use(cost * value.length);
  for (const item of value) useItems(context, item, cost);
}
