import { useQueryClient } from '@tanstack/react-query';
import { useAction } from './use-action.js';
import { type Filters, useClosing } from './use-filters.js';

/**
 * Deletes a thing that has these ids. Afterwards the queries of the page are read again, except those with such an id in
 * their keys, which would be answered 404. Answers that no page shows now are forgotten, because they may name the thing.
 */
export function useRemoval(ids: readonly string[], remove: () => Promise<unknown>) {
  const queries = useQueryClient();
  const removal = async () => {
    await remove();
    queries.removeQueries({ type: 'inactive' });
  };
  return useAction(removal, { predicate: ({ queryKey }) => !ids.some((id) => queryKey.includes(id)) });
}

/**
 * Deletes the one thing that a page or a panel shows with this member of the address, and leaves it, unless another one
 * was opened in its place meanwhile.
 */
export function useDeletion(opened: Filters, remove: () => Promise<unknown>, onGone: () => void) {
  const close = useClosing(opened, onGone);
  const ids = Object.values(opened).filter((id) => id !== undefined);
  return useRemoval(ids, async () => {
    await remove();
    close();
  });
}
