import { skipToken, useQuery } from '@tanstack/react-query';
import { bodyOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { REFRESH_MS } from '../../parts/refresh.js';

export type Group = Schemas['LlmLedgerGroup'];

export const SUMS_PATH = '/api/public/analytics/projects/{projectId}/llm-ledger/summary';

/**
 * Reads the sums of the calls that match, and the sums of those that failed. The key identifies the query. Without a
 * query, nothing is read.
 */
export function useSums(key: readonly unknown[], queryOf: (() => Record<string, string>) | undefined) {
  const { asApp, projectId } = useApp();
  const readSums = async (query: Record<string, string>) => {
    const read = (more: Record<string, string>) =>
      bodyOf(asApp.GET(SUMS_PATH, { params: { path: { projectId }, query: { ...query, ...more } as never } }));
    const [all, failed] = await Promise.all([read({}), read({ status: 'failed' })]);
    return { all, failed };
  };
  return useQuery({
    queryKey: ['sums', projectId, ...key],
    queryFn: queryOf ? () => readSums(queryOf()) : skipToken,
    refetchInterval: REFRESH_MS,
  });
}
