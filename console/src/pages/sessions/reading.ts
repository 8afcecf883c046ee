import { type InfiniteData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { bodyOf, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import type { CurlRequest } from '../../parts/copy-curl.js';
import { REFRESH_MS } from '../../parts/refresh.js';

export type Turn = Schemas['SessionTrace'];

const SESSION_PATH = '/api/public/apps/{appId}/sessions';
const TURNS_AT_ONCE = 100;
const INCLUDED = ['traces', 'observations'] as const;

/** The request that answers with a session and its turns. */
export function requestFor(appId: string, sessionId: string): CurlRequest {
  const query = `session_id=${encodeURIComponent(sessionId)}&include=traces&include=observations`;
  return { path: `${filled(SESSION_PATH, { appId })}?${query}`, access: 'key' };
}

/** The turns of a session that were not read yet. */
export interface UnreadTurns {
  count: number;
  isReading: boolean;
  read: () => void;
}

type TurnsPage = Schemas['SessionDetails'];

function nextOf({ pagination: { page, limit, total } }: TurnsPage): number | undefined {
  return page * limit < total ? page + 1 : undefined;
}

/** Reads a session and its turns, from the first one. Further turns are read on request. */
export function useTurns(sessionId: string, refetchInterval = REFRESH_MS) {
  const { asApp, appId } = useApp();
  const { data, error, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['session', appId, sessionId],
    queryFn: ({ pageParam: page, queryKey, client }) => {
      // A session answers one turn at a time, so only the last page that is shown changes.
      const before = client.getQueryData<InfiniteData<TurnsPage>>(queryKey);
      const full = before?.pages.slice(0, -1).find((each) => each.pagination.page === page);
      if (full) return full;
      const query = { session_id: sessionId, include: [...INCLUDED], limit: TURNS_AT_ONCE, page };
      return bodyOf(asApp.GET(SESSION_PATH, { params: { path: { appId }, query } }));
    },
    initialPageParam: 1,
    getNextPageParam: nextOf,
    refetchInterval,
  });
  const pages = data?.pages ?? [];
  const last = pages.at(-1);
  const session = last?.sessions[0];
  const turns = pages.flatMap(({ sessions }) => sessions[0]?.traces ?? []);
  const further: UnreadTurns = {
    count: Math.max(0, (last?.pagination.total ?? 0) - turns.length),
    isReading: isFetchingNextPage,
    read: () => void fetchNextPage(),
  };
  return { session, turns, error, further };
}

/** The parts of the steps of a trace that a session does not have: their costs, and whether they have failed. */
export function useSteps({ trace_id: traceId, latency, observations }: Turn) {
  const { asApp, appId } = useApp();
  const { data: steps, error } = useQuery({
    // The trace is read again when a step was added or the turn has ended.
    queryKey: ['steps', appId, traceId, observations.length, latency],
    queryFn: async () => {
      const params = { path: { appId, traceId } };
      const trace = await bodyOf(asApp.GET('/api/public/apps/{appId}/traces/{traceId}', { params }));
      return new Map(trace.observations.map(({ observationId, ...step }) => [observationId, step]));
    },
    enabled: observations.length > 0,
    staleTime: Infinity,
    placeholderData: (before) => before,
  });
  return { steps, error };
}
