import { api, bodyOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';

type Group = Schemas['LlmLedgerGroup'];

type Query = Record<string, string>;

interface Answer {
  groups: Group[];
  hasMore: boolean;
}

/** One project, or all of them: the calls that are summed. */
export interface SumsSource {
  /** Identifies the source in the cache. */
  name: string;
  groups: readonly string[];
  read: (query: Query) => Promise<Answer>;
  readLatency: (query: Query) => Promise<Schemas['LlmLedgerLatency']>;
}

export const SUMS_PATH = '/api/public/analytics/projects/{projectId}/llm-ledger/summary';
const LATENCY_PATH = '/api/public/analytics/projects/{projectId}/llm-ledger/latency';
export const SUMS_OF_ALL_PATH = '/api/admin/v1/llm-ledger/summary';
const LATENCY_OF_ALL_PATH = '/api/admin/v1/llm-ledger/latency';

/** The groups that plots can tell apart. */
export const SPLITS = ['model', 'provider', 'agent', 'source', 'environment'] as const;
export type Split = (typeof SPLITS)[number];

const GROUPS = ['day', ...SPLITS] as const;

export const ALL_PROJECTS: SumsSource = {
  name: 'all projects',
  groups: GROUPS,
  read: (query) => bodyOf(api.GET(SUMS_OF_ALL_PATH, { params: { query: query as never } })),
  readLatency: (query) => bodyOf(api.GET(LATENCY_OF_ALL_PATH, { params: { query: query as never } })),
};

export function useThisProject(): SumsSource {
  const { asApp, projectId } = useApp();
  return {
    name: projectId,
    groups: [...GROUPS, 'session'],
    read: (query) => bodyOf(asApp.GET(SUMS_PATH, { params: { path: { projectId }, query: query as never } })),
    readLatency: (query) => bodyOf(asApp.GET(LATENCY_PATH, { params: { path: { projectId }, query: query as never } })),
  };
}

/** The sums of the calls that match, and the sums of those that failed. */
export interface Sums {
  all: Answer;
  failed: Answer;
}

export async function readSums({ read }: SumsSource, query: Query): Promise<Sums> {
  const [all, failed] = await Promise.all([read(query), read({ ...query, status: 'failed' })]);
  return { all, failed };
}
