import { type RouterHistory, useNavigate, useRouter, useSearch } from '@tanstack/react-router';

export type Filters = Partial<Record<string, string>>;

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
        /** Its member of the address, if it is another one. Two lists at one address have different ones. */
        at?: string;
        label: string;
        /** The values to choose from. Without them, the filter takes any text. */
        values?: readonly TextOf<Query[Name]>[];
      };
}[keyof Query & string];

/** Returns those filters of the address that belong to a list. The API refuses the values that it does not take. */
export function chosenFrom<Query>(filters: Filters, of: readonly Filter<Query>[]): Partial<Query> {
  const chosen = of.flatMap((filter: Addressed) => {
    const value = filters[memberOf(filter)];
    return value ? [[filter.name, value] as const] : [];
  });
  return Object.fromEntries(chosen) as Partial<Query>;
}

interface Addressed {
  name: string;
  at?: string;
}

/** Returns the member of the address that has the value of the filter. */
export function memberOf({ name, at = name }: Addressed): string {
  return at;
}

const textOf = (filters: object) => new URLSearchParams(filters as Record<string, string>).toString();

type Change = (changes: Filters) => void;

/**
 * Returns the members of the address's query: the filters, and the ids of what is opened. The function changes some of
 * them. Undefined or empty ones are removed. The present entry in the history of the browser changes with them.
 */
export function useFilters(): [Filters, Change] {
  const filters: Filters = useSearch({ strict: false });
  const go = useGo();
  return [filters, (changes) => go(changes, false)];
}

/**
 * Returns a function that opens one thing beside or instead of a list. It gets an entry in the history of the browser,
 * which closing it removes, unless it stands in place of another one that was open.
 */
export function useOpen(): Change {
  const go = useGo();
  return (opened) => go(opened, true);
}

/**
 * Returns a function that closes what is opened with this member of the address, such as `{ job: id }`, unless another one
 * was opened in its place meanwhile. Undefined means that the address has no such member.
 */
export function useClosing(opened: Filters, close: () => void): () => void {
  const { history } = useRouter() as { history: RouterHistory };
  return () => {
    const present = new URLSearchParams(history.location.search);
    if (Object.entries(opened).every(([name, id]) => (present.get(name) ?? undefined) === id)) close();
  };
}

function useGo(): (changes: Filters, isOpening: boolean) => void {
  const navigate = useNavigate();
  const { history } = useRouter() as { history: RouterHistory };
  const { pathname } = history.location;
  return (changes, isOpening) => {
    // The user may have gone to another page before a request ended.
    if (history.location.pathname !== pathname) return;
    // The address may have changed meanwhile, so the other filters are those of the present address.
    const present: Filters = Object.fromEntries(new URLSearchParams(history.location.search));
    const next = Object.fromEntries(Object.entries({ ...present, ...changes }).filter(([, value]) => value));
    const { opened = [] } = (history.location.state ?? {}) as { opened?: string[] };
    const at = opened.lastIndexOf(textOf(next));
    if (at >= 0) {
      history.go(at - opened.length);
      return;
    }
    const isPushed = isOpening && !Object.keys(changes).some((name) => present[name]);
    // Something opened within another thing, such as a run of a tool, has an entry after the one of that thing.
    const state = { opened: isPushed ? [...opened, textOf(present)] : opened };
    void navigate({ to: '.', search: next, replace: !isPushed, state } as never);
  };
}
