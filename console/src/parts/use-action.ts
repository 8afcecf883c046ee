import { useMutation, useQueryClient } from '@tanstack/react-query';

/**
 * Runs a request that changes something, and reads again what the page shows, or only the queries with the key. A thing
 * that was deleted must not be read again.
 */
export function useAction<Input = void, Output = unknown>(
  work: (input: Input) => Promise<Output>,
  queryKey?: readonly unknown[],
) {
  const queries = useQueryClient();
  return useMutation<Output, Error, Input>({
    mutationFn: work,
    onSettled: () => queries.invalidateQueries(queryKey && { queryKey }),
  });
}
