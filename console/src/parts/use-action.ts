import { useMutation, useQueryClient } from '@tanstack/react-query';

/** Runs a request that changes something, and reads again what the page shows. */
export function useAction<Input = void>(work: (input: Input) => Promise<unknown>) {
  const queries = useQueryClient();
  return useMutation<unknown, Error, Input>({ mutationFn: work, onSettled: () => queries.invalidateQueries() });
}
