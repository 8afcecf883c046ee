import { useQueryClient } from '@tanstack/react-query';
import { useAction } from './use-action.js';

/**
 * Deletes the one thing that a page or a panel shows, and leaves it. All that is shown is read again, except the deleted
 * thing, whose id the keys of its queries have. Other pages forget their answers, because these may name it.
 */
export function useDeletion(id: string, remove: () => Promise<unknown>, onGone: () => void) {
  const queries = useQueryClient();
  const deletion = async () => {
    await remove();
    queries.removeQueries({ type: 'inactive' });
    onGone();
  };
  return useAction(deletion, { predicate: ({ queryKey }) => !queryKey.includes(id) });
}
