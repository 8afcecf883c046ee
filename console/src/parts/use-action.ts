import { type InvalidateQueryFilters, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';

/**
 * Runs a request that changes something, and reads again what the page shows, or only the queries that the filters find.
 * While the request runs, it is not sent a second time.
 */
export function useAction<Input = void, Output = unknown>(
  work: (input: Input) => Promise<Output>,
  toRead?: InvalidateQueryFilters,
) {
  const queries = useQueryClient();
  const isRunning = useRef(false);
  const action = useMutation<Output, Error, Input>({
    mutationFn: work,
    onSettled: () => {
      isRunning.current = false;
      return queries.invalidateQueries(toRead);
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
