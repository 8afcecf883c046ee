import { focusManager, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { api, bodyOf, dataOf, type Schemas } from '../api/client.js';
import { eventsIn } from '../api/events.js';
import { type AppContext, useApp } from '../app/app-context.js';
import { FRESH_MS, REFRESH_PROGRESS_MS } from '../api/refresh.js';

type DockJob = Schemas['DockJob'];

export const DOCK_JOBS = '/api/admin/v1/projects/{projectId}/dock-jobs';
export const DOCK_JOB = `${DOCK_JOBS}/{dockStatusId}` as const;
const STREAM = '/api/public/dock-status/{dockStatusId}/events';

/**
 * Follows a dock job by the stream of its events, or reads it each second if the stream breaks. A browser has six
 * connections to a service, so the stream is open only while the page is visible and the job goes on.
 */
export function useDockJob(dockStatusId: string) {
  const { projectId, asApp } = useApp();
  const queries = useQueryClient();
  const isVisible = useSyncExternalStore(
    (onChange) => focusManager.subscribe(onChange),
    () => focusManager.isFocused(),
  );
  const [isBroken, setBroken] = useState(false);
  const query = useQuery({
    queryKey: keyOf(dockStatusId),
    queryFn: () => dataOf(api.GET(DOCK_JOB, { params: { path: { projectId, dockStatusId } } })),
    // A job that has ended is read again when the user comes back, because the link to an export is valid for an hour.
    enabled: ({ state: { data } }) => isBroken || isOver(data),
    staleTime: FRESH_MS,
    refetchInterval: ({ state: { data } }) => (isOver(data) ? false : REFRESH_PROGRESS_MS),
  });
  const hasEnded = isOver(query.data);

  useEffect(() => {
    if (!isVisible || hasEnded) return;
    const controller = new AbortController();
    const { signal } = controller;
    const follow = async () => {
      for await (const job of statesOf(asApp, dockStatusId, signal)) queries.setQueryData(keyOf(dockStatusId), job);
    };
    const onBreak = () => {
      if (!signal.aborted) setBroken(true);
    };
    void follow().then(onBreak, onBreak);
    return () => {
      controller.abort();
      setBroken(false);
    };
  }, [isVisible, hasEnded, asApp, dockStatusId, queries]);
  return query;
}

const keyOf = (dockStatusId: string) => ['dock-job', dockStatusId];

function isOver(job: DockJob | undefined): boolean {
  return job !== undefined && job.status !== 'IN_PROGRESS';
}

/** Yields the job after each change. The stream ends with the job. */
async function* statesOf(
  asApp: AppContext['asApp'],
  dockStatusId: string,
  signal: AbortSignal,
): AsyncGenerator<DockJob> {
  const params = { path: { dockStatusId } };
  const body = await bodyOf(asApp.GET(STREAM, { params, parseAs: 'stream', signal }));
  for await (const { data } of eventsIn(body)) yield data as DockJob;
}
