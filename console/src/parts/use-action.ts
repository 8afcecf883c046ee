import { type InvalidateQueryFilters, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiError } from '../api/client.js';

/** If the page takes longer to read again what it shows, the outcome is shown before. */
const READ_WITHIN_MS = 1_000;

/**
 * Runs a request that changes something, and reads again what the page shows, or only the queries that the filters find.
 * While the request runs, it is not sent a second time. A refusal is shown at once, and a success as a rule together with
 * the new data. If the session has ended, nothing is read before the user has signed in.
 */
export function useAction<Input = void, Output = unknown>(
  work: (input: Input) => Promise<Output>,
  toRead?: InvalidateQueryFilters,
) {
  const queries = useQueryClient();
  const isRunning = useRef(false);
  const action = useMutation<Output, Error, Input>({
    mutationFn: work,
    onSettled: (_done, refusal) => {
      isRunning.current = false;
      if (refusal instanceof ApiError && refusal.status === 401) return undefined;
      const isRead = queries.invalidateQueries(toRead);
      return refusal ? undefined : Promise.race([isRead, later(READ_WITHIN_MS)]);
    },
  });
  // Two presses in the same moment come before the page shows that the first one has begun.
  const begin = (): boolean => {
    if (isRunning.current) return false;
    isRunning.current = true;
    return true;
  };
  const mutate: typeof action.mutate = (...input) => {
    if (begin()) action.mutate(...input);
  };
  const mutateAsync: typeof action.mutateAsync = async (...input) => {
    if (!begin()) throw new Error('This request is being sent already.');
    return action.mutateAsync(...input);
  };
  return { ...action, mutate, mutateAsync };
}

function later(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
