import { useNavigate, useSearch } from '@tanstack/react-router';

type Filters = Partial<Record<string, string>>;

/** Returns the filters in the address, and a function that changes some of them. Undefined or empty ones are removed. */
export function useFilters(): [Filters, (changes: Filters) => void] {
  const filters: Filters = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (changes: Filters) => {
    const next = Object.entries({ ...filters, ...changes }).filter(([, value]) => value);
    void navigate({ to: '.', search: Object.fromEntries(next), replace: true } as never);
  };
  return [filters, change];
}
