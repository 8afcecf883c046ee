import { bodyOf, type Schemas } from '../api/client.js';
import { FollowedJob } from './dock-progress.js';
import { useAction } from './use-action.js';
import { useFilters } from './use-filters.js';

type Started = Promise<{ data?: Schemas['DockJobAnswer'] }>;

/**
 * Starts dock jobs and follows the latest one. Its id stands in the address, so that a reload does not lose it. With the
 * id of a model or tool, only a job of that one is shown.
 */
export function useFollowedJob(targetId?: string) {
  const [{ followed: dockStatusId }, change] = useFilters();
  const follow = async (started: Started) => {
    change({ followed: (await bodyOf(started)).dockStatusId });
  };
  const start = useAction((work: () => Started) => follow(work()));
  const stop = () => change({ followed: undefined });
  const followed = dockStatusId && (
    <FollowedJob key={dockStatusId} dockStatusId={dockStatusId} targetId={targetId} onClose={stop} />
  );
  return { start, follow, followed };
}
