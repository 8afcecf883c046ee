import { skipToken, useQuery } from '@tanstack/react-query';
import { api, bodyOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { REFRESH_MS } from '../../parts/refresh.js';

export type Group = Schemas['LlmLedgerGroup'];

type Query = Record<string, string>;

/** One project, or all of them: the calls that are summed. */
export interface SumsSource {
  /** Identifies the source in the cache. */
  name: string;
  groups: readonly string[];
  read: (query: Query) => Promise<{ groups: Group[]; hasMore: boolean }>;
}

export const SUMS_PATH = '/api/public/analytics/projects/{projectId}/llm-ledger/summary';
export const SUMS_OF_ALL_PATH = '/api/admin/v1/llm-ledger/summary';

const GROUPS = ['day', 'model', 'provider', 'agent', 'source', 'environment'] as const;

export const ALL_PROJECTS: SumsSource = {
  name: 'all projects',
  groups: GROUPS,
  read: (query) => bodyOf(api.GET(SUMS_OF_ALL_PATH, { params: { query: query as never } })),
};

export function useThisProject(): SumsSource {
  const { asApp, projectId } = useApp();
  return {
    name: projectId,
    groups: [...GROUPS, 'session'],
    read: (query) => bodyOf(asApp.GET(SUMS_PATH, { params: { path: { projectId }, query: query as never } })),
  };
}

/**
 * Reads the sums of the calls that match, and the sums of those that failed. The key identifies the query. Without a
 * query, nothing is read.
 */
export function useSums({ name, read }: SumsSource, key: readonly unknown[], queryOf: (() => Query) | undefined) {
  const readSums = async (query: Query) => {
    const [all, failed] = await Promise.all([read(query), read({ ...query, status: 'failed' })]);
    return { all, failed };
  };
  return useQuery({
    queryKey: ['sums', name, ...key],
    queryFn: queryOf ? () => readSums(queryOf()) : skipToken,
    refetchInterval: REFRESH_MS,
  });
}
