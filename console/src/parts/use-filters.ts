import { type RouterHistory, useNavigate, useRouter, useSearch } from '@tanstack/react-router';

export type Filters = Partial<Record<string, string>>;

/** The names of all that opens beside or instead of a list. The browser's button for the page before closes it. */
const OPENED: ReadonlySet<string> = new Set([
  'agent',
  'call',
  'connection',
  'conversation',
  'delivery',
  'entry',
  'file',
  'job',
  'model',
  'scope',
  'session',
  'step',
  'subscription',
  'tool',
  'trace',
  'version',
]);

/** A text that a member of a query takes, alone or as one of several. */
type TextOf<Value> = Value extends string
  ? Value
  : Value extends readonly (infer Each)[]
    ? Extract<Each, string>
    : never;

/** A filter of a list. Its name is the one of a member of the query, or of the body, that the API takes. */
export type Filter<Query> = {
  [Name in keyof Query & string]-?: [TextOf<Query[Name]>] extends [never]
    ? never
    : {
        name: Name;
        label: string;
        /** The values to choose from. Without them, the filter takes any text. */
        values?: readonly TextOf<Query[Name]>[];
      };
}[keyof Query & string];

/** Returns those filters of the address that belong to a list. The API refuses the values that it does not take. */
export function chosenFrom<Query>(filters: Filters, of: readonly Filter<Query>[]): Partial<Query> {
  const chosen = of.flatMap(({ name }: { name: string }) => (filters[name] ? [[name, filters[name]] as const] : []));
  return Object.fromEntries(chosen) as Partial<Query>;
}

/** Whether the changes open one thing, and do nothing else. */
function isOpening(changes: Filters, present: Filters): boolean {
  const [change, ...others] = Object.entries(changes);
  return change !== undefined && others.length === 0 && OPENED.has(change[0]) && !present[change[0]] && !!change[1];
}

const textOf = (filters: object) => new URLSearchParams(filters as Record<string, string>).toString();

type Change = (changes: Filters, how?: 'replace') => void;

/**
 * Returns the filters in the address, and a function that changes some of them. Undefined or empty ones are removed. A
 * thing that is opened gets an entry in the history of the browser, which closing it removes. Filters change the present
 * entry, and so does all else that is to be replaced.
 */
export function useFilters(): [Filters, Change] {
  const filters: Filters = useSearch({ strict: false });
  const navigate = useNavigate();
  const { history } = useRouter() as { history: RouterHistory };
  const { pathname } = history.location;
  const change: Change = (changes, how) => {
    // The user may have gone to another page before a request ended.
    if (history.location.pathname !== pathname) return;
    // The address may have changed meanwhile, so the other filters are those of the present address.
    const present: Filters = Object.fromEntries(new URLSearchParams(history.location.search));
    const next = Object.fromEntries(Object.entries({ ...present, ...changes }).filter(([, value]) => value));
    const { before } = (history.location.state ?? {}) as { before?: string };
    if (before !== undefined && textOf(next) === before) {
      history.back();
      return;
    }
    const isPushed = how !== 'replace' && isOpening(changes, present);
    const state = { before: isPushed ? textOf(present) : before };
    void navigate({ to: '.', search: next, replace: !isPushed, state } as never);
  };
  return [filters, change];
}
