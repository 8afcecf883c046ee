import { bodyOf, type Schemas } from '../api/client.js';
import { FollowedJob } from './dock-progress.js';
import { useAction } from './use-action.js';
import { useFilters } from './use-filters.js';

type Started = Promise<{ data?: Schemas['DockJobAnswer'] }>;

/**
 * Starts dock jobs and follows the latest one. Its id stands in the address, so that a reload does not lose it.
 */
export function useFollowedJob() {
  const [{ job }, change] = useFilters();
  const start = useAction(async (work: () => Started) => {
    change({ job: (await bodyOf(work())).dockStatusId }, 'replace');
  });
  const followed = job && <FollowedJob key={job} dockStatusId={job} onClose={() => change({ job: undefined })} />;
  return { start, followed };
}
