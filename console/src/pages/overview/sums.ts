import { api, bodyOf, type Schemas } from '../../api/client.js';
import type { QueryOf } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';

export const SUMS_PATH = '/api/public/analytics/projects/{projectId}/llm-ledger/summary';
const LATENCY_PATH = '/api/public/analytics/projects/{projectId}/llm-ledger/latency';
const SUMS_OF_ALL_PATH = '/api/admin/v1/llm-ledger/summary';
const LATENCY_OF_ALL_PATH = '/api/admin/v1/llm-ledger/latency';

type SumsQuery = Shared<QueryOf<typeof SUMS_PATH>, QueryOf<typeof SUMS_OF_ALL_PATH>>;
type LatencyQuery = Shared<QueryOf<typeof LATENCY_PATH>, QueryOf<typeof LATENCY_OF_ALL_PATH>>;

/** The members that both queries have. */
type Shared<Query, Other> = Pick<Query, keyof Query & keyof Other>;

/** The filters of calls, which all sums and latencies take. */
export type CallFilters = Partial<Omit<Shared<SumsQuery, LatencyQuery>, 'groupBy'>>;

/** The groups that plots can tell apart. */
export type Split = NonNullable<LatencyQuery['groupBy']>;
export const SPLITS: readonly Split[] = ['model', 'provider', 'agent', 'source', 'environment'];

interface Answer {
  groups: Schemas['LlmLedgerGroup'][];
  hasMore: boolean;
}

type Group = Exclude<NonNullable<SumsQuery['groupBy']>, 'session'>;

/** One project, or all of them: the calls that are summed. A source may know more groups than the others. */
export interface SumsSource<More extends string = never> {
  /** Identifies the source in the cache. */
  name: string;
  read: (query: Omit<SumsQuery, 'groupBy'> & { groupBy: Group | More }) => Promise<Answer>;
  readLatency: (query: LatencyQuery) => Promise<Schemas['LlmLedgerLatency']>;
}

/** A source with the groups that the user chooses from. */
export interface GroupedSource<More extends string = never> extends SumsSource<More> {
  groups: readonly (Group | More)[];
}

const GROUPS: readonly Group[] = ['day', ...SPLITS];

export const ALL_PROJECTS: GroupedSource = {
  name: 'all projects',
  groups: GROUPS,
  read: (query) => bodyOf(api.GET(SUMS_OF_ALL_PATH, { params: { query } })),
  readLatency: (query) => bodyOf(api.GET(LATENCY_OF_ALL_PATH, { params: { query } })),
};

export function useThisProject(): GroupedSource<'session'> {
  const { asApp, projectId } = useApp();
  return {
    name: projectId,
    groups: [...GROUPS, 'session'],
    read: (query) => bodyOf(asApp.GET(SUMS_PATH, { params: { path: { projectId }, query } })),
    readLatency: (query) => bodyOf(asApp.GET(LATENCY_PATH, { params: { path: { projectId }, query } })),
  };
}

/** The sums of the calls that match, and the sums of those that failed. */
export interface Sums {
  all: Answer;
  failed: Answer;
}

export async function readSums<More extends string>(
  { read }: SumsSource<More>,
  query: Parameters<SumsSource<More>['read']>[0],
): Promise<Sums> {
  const [all, failed] = await Promise.all([read(query), read({ ...query, status: 'failed' })]);
  return { all, failed };
}
