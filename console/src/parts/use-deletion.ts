import { useQueryClient } from '@tanstack/react-query';
import { useAction } from './use-action.js';
import { type Filters, useClosing } from './use-filters.js';

/**
 * Deletes the one thing that a page or a panel shows with this member of the address, and leaves it, unless another one was opened in its place meanwhile.
 * Afterwards the queries of the page are read again, except those with the id of the thing in their keys, which would be
 * answered 404. Answers that no page shows now are forgotten, because they may name the thing.
 */
export function useDeletion(opened: Filters, remove: () => Promise<unknown>, onGone: () => void) {
  const queries = useQueryClient();
  const ids = Object.values(opened);
  const close = useClosing(opened, onGone);
  const deletion = async () => {
    await remove();
    queries.removeQueries({ type: 'inactive' });
    close();
  };
  return useAction(deletion, { predicate: ({ queryKey }) => !ids.some((id) => queryKey.includes(id)) });
}
