import { type InfiniteData, type QueryClient, useInfiniteQuery } from '@tanstack/react-query';
import { bodyOf, type Schemas } from '../../api/client.js';
import { keepingFullPages } from '../../api/full-pages.js';
import { filled, type QueryOf } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import type { CurlRequest } from '../../parts/copy-curl.js';
import { REFRESH_MS } from '../../api/refresh.js';
import type { Observation } from '../traces/steps.js';

export type Turn = Schemas['SessionTrace'];

const SESSION_PATH = '/api/public/apps/{appId}/sessions';
const TURNS_AT_ONCE = 100;

const queryOf = (sessionId: string): QueryOf<typeof SESSION_PATH> => ({
  session_id: sessionId,
  include: ['traces', 'observations'],
});

/** The request that answers with a session and its turns. */
export function requestFor(appId: string, sessionId: string): CurlRequest {
  return { path: filled(SESSION_PATH, { appId }), query: queryOf(sessionId), access: 'key' };
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

export const keyOfTurns = (appId: string, sessionId: string) => ['session', appId, sessionId];

const turnsOf = (pages: readonly TurnsPage[]): Turn[] => pages.flatMap(({ sessions }) => sessions[0]?.traces ?? []);

export interface SessionOfTurns {
  turns: readonly Turn[];
  isBusy: boolean;
}

/** Returns a session as it was read last, or null if it was not. */
export function sessionInCache(queries: QueryClient, appId: string, sessionId: string): SessionOfTurns | null {
  const pages = queries.getQueryData<InfiniteData<TurnsPage>>(keyOfTurns(appId, sessionId))?.pages;
  return pages ? { turns: turnsOf(pages), isBusy: pages.at(-1)!.sessions[0]?.status === 'busy' } : null;
}

/** Reads a session and its turns, from the first one. Further turns are read on request. */
export function useTurns(sessionId: string, refetchInterval = REFRESH_MS) {
  const { asApp, appId } = useApp();
  const { data, error, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: keyOfTurns(appId, sessionId),
    // A session answers one turn at a time, so only the last page that is shown changes.
    queryFn: keepingFullPages(({ pageParam: page }) => {
      const query = { ...queryOf(sessionId), limit: TURNS_AT_ONCE, page };
      return bodyOf(asApp.GET(SESSION_PATH, { params: { path: { appId }, query } }));
    }),
    initialPageParam: 1,
    getNextPageParam: nextOf,
    refetchInterval,
  });
  const pages = data?.pages ?? [];
  const last = pages.at(-1);
  const session = last?.sessions[0];
  const turns = turnsOf(pages);
  const further: UnreadTurns = {
    count: Math.max(0, (last?.pagination.total ?? 0) - turns.length),
    isReading: isFetchingNextPage,
    read: () => void fetchNextPage(),
  };
  return { session, turns, error, further };
}

/** Gives an observation of a session the names that a trace has for the same members. */
export function observationOf(observation: Turn['observations'][number]): Observation {
  const { type, name, status, latency, input, output, model, provider, cost, token_usage } = observation;
  return {
    observationId: observation.observation_id,
    parentObservationId: observation.parent_observation_id,
    startedAt: observation.start_time,
    latencyMs: latency,
    tokenUsage: type === 'GENERATION' ? token_usage : null,
    ...{ type, name, status, input, output, model, provider, cost },
  };
}
