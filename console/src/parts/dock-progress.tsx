import { Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.js';
import { useApp } from '../app/app-context.js';

const REFRESH_PROGRESS_MS = 1_000;

/** The imports, exports, deployments and undeployments that are in progress. It shows nothing while there are none. */
export function DockProgress({ jobType }: { jobType: 'MODELS' | 'TOOLS' }) {
  const { projectId } = useApp();
  const { data: jobs = [] } = useQuery({
    queryKey: ['dock-jobs', projectId, jobType],
    queryFn: () =>
      dataOf(
        api.GET('/api/admin/v1/projects/{projectId}/dock-jobs', {
          params: { path: { projectId }, query: { jobType, status: 'IN_PROGRESS' } },
        }),
      ),
    refetchInterval: REFRESH_PROGRESS_MS,
  });
  return jobs.map(({ dockStatusId, action, stage, modelId, toolId, percentageComplete }) => (
    <section key={dockStatusId} aria-label={`Job ${dockStatusId}`}>
      <Text size="sm">
        {action} {modelId ?? toolId}: {stage ?? 'begins'}, {percentageComplete} %
      </Text>
      <Progress value={percentageComplete} aria-label={`Progress of ${action}`} />
    </section>
  ));
}
