import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { bodyOf, type Schemas } from '../api/client.js';
import { useApp } from '../app/app-context.js';
import { REFRESH_MS } from '../parts/refresh.js';

export type Turn = Schemas['SessionTrace'];

export const SESSION_PATH = '/api/public/apps/{appId}/sessions';
const TRACES_PATH = '/api/public/apps/{appId}/traces';
const TURNS_AT_ONCE = 100;
const MAX_FAILED = 100;
const INCLUDED = ['traces', 'observations'] as const;

/** The turns of a session that were not read yet. */
export interface Further {
  count: number;
  isReading: boolean;
  read: () => void;
}

/** Reads a session and its turns, from the first one. Further turns are read on request. */
export function useTurns(sessionId: string, refetchInterval = REFRESH_MS) {
  const { asApp, appId } = useApp();
  const { data, error, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['session', appId, sessionId],
    queryFn: ({ pageParam: page }) => {
      const query = { session_id: sessionId, include: [...INCLUDED], limit: TURNS_AT_ONCE, page };
      return bodyOf(asApp.GET(SESSION_PATH, { params: { path: { appId }, query } }));
    },
    initialPageParam: 1,
    getNextPageParam: ({ pagination: { page, limit, total } }) => (page * limit < total ? page + 1 : undefined),
    refetchInterval,
  });
  const pages = data?.pages ?? [];
  const last = pages.at(-1);
  const session = last?.sessions[0];
  const turns = pages.flatMap(({ sessions }) => sessions[0]?.traces ?? []);
  const further: Further = {
    count: Math.max(0, (last?.pagination.total ?? 0) - turns.length),
    isReading: isFetchingNextPage,
    read: () => void fetchNextPage(),
  };
  return { session, turns, failed: useFailed(sessionId, session?.created_at, turns.length), error, further };
}

/** Returns the ids of the traces in which a step has failed. The turns of a session do not say so. */
function useFailed(sessionId: string, fromDate: string | undefined, turnCount: number): ReadonlySet<string> {
  const { asApp, appId } = useApp();
  const query = { sessionId, fromDate, status: 'failed', limit: MAX_FAILED } as const;
  const { data } = useQuery({
    queryKey: ['failed-turns', appId, sessionId, turnCount],
    queryFn: () => bodyOf(asApp.GET(TRACES_PATH, { params: { path: { appId }, query } })),
    enabled: fromDate !== undefined && turnCount > 0,
    placeholderData: (before) => before,
  });
  return new Set(data?.traces.map(({ traceId }) => traceId));
}

/** Returns the ids of the steps of a trace that have failed. */
export function useFailedSteps(traceId: string, isFailed: boolean): ReadonlySet<string> {
  const { asApp, appId } = useApp();
  const { data } = useQuery({
    queryKey: ['trace', appId, traceId],
    queryFn: () => bodyOf(asApp.GET(`${TRACES_PATH}/{traceId}`, { params: { path: { appId, traceId } } })),
    enabled: isFailed,
  });
  const steps = data?.observations.filter(({ status }) => status === 'failed') ?? [];
  return new Set(steps.map(({ observationId }) => observationId));
}
