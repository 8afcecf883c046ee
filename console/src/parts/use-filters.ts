import { useNavigate, useSearch } from '@tanstack/react-router';

export type Filters = Partial<Record<string, string>>;

/** Returns those filters of the address that belong to a list. */
export function chosenFrom(filters: Filters, of: readonly { name: string }[]): Record<string, string> {
  const chosen = of.flatMap(({ name }) => (filters[name] ? [[name, filters[name]] as const] : []));
  return Object.fromEntries(chosen);
}

/** Returns the filters in the address, and a function that changes some of them. Undefined or empty ones are removed. */
export function useFilters(): [Filters, (changes: Filters) => void] {
  const filters: Filters = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (changes: Filters) => {
    // A request may end when the address has changed meanwhile, so the other filters are those of the present address.
    const search = (present: Filters) =>
      Object.fromEntries(Object.entries({ ...present, ...changes }).filter(([, value]) => value));
    void navigate({ to: '.', search, replace: true } as never);
  };
  return [filters, change];
}
