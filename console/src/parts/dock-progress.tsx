import { Anchor, Button, Group, List, Progress, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { api, dataOf, type Schemas } from '../api/client.js';
import { useApp } from '../app/app-context.js';
import { ConfirmButton } from './confirm-button.js';
import { ErrorBox } from './error-box.js';
import { ForeignName } from './foreign-text.js';
import { formatCode } from './format.js';
import { REFRESH_MS, REFRESH_PROGRESS_MS } from '../api/refresh.js';
import { Status } from './status.js';
import { useAction } from './use-action.js';
import { DOCK_JOB, DOCK_JOBS, useDockJob } from './use-dock-job.js';
import { useFilters, useOpen } from './use-filters.js';
import { useTargetName } from './use-target-name.js';
import { withVisibleMarks } from './visible-marks.js';

type DockJob = Schemas['DockJob'];

interface ImportedTool {
  toolId: string;
  name: string;
}

/**
 * The imports, exports, deployments and undeployments that are in progress, except the followed one. It shows nothing
 * while there are none.
 */
export function DockProgress({ jobType }: { jobType: 'MODELS' | 'TOOLS' }) {
  const { projectId } = useApp();
  const [{ followed }] = useFilters();
  const { data: jobs = [], error } = useQuery({
    queryKey: ['dock-jobs', projectId, jobType],
    queryFn: () =>
      dataOf(api.GET(DOCK_JOBS, { params: { path: { projectId }, query: { jobType, status: 'IN_PROGRESS' } } })),
    refetchInterval: ({ state: { data } }) => (data?.length ? REFRESH_PROGRESS_MS : REFRESH_MS),
  });
  return (
    <>
      {error && <ErrorBox error={error} />}
      {jobs
        .filter(({ dockStatusId }) => dockStatusId !== followed)
        .map((job) => (
          <section key={job.dockStatusId} aria-label={`Job ${job.dockStatusId}`}>
            <Progressing job={job} />
          </section>
        ))}
    </>
  );
}

interface FollowedJobProps {
  dockStatusId: string;
  /** The model or tool that the page shows alone. The jobs of others are not shown beside it. */
  targetId: string | undefined;
  onClose: () => void;
}

/** One job until its end and beyond: its progress, then its outcome, such as the link to an export. */
export function FollowedJob({ dockStatusId, targetId, onClose }: FollowedJobProps) {
  const queries = useQueryClient();
  const { data: job, error } = useDockJob(dockStatusId);
  const status = job?.status;
  // The end of the job changes its model or tool, which the page shows as well.
  useEffect(() => {
    const isOther = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== 'dock-job';
    if (status && status !== 'IN_PROGRESS') void queries.invalidateQueries({ predicate: isOther });
  }, [status, queries]);
  if (job && targetId !== undefined && targetId !== targetOf(job)) return null;
  const dismiss = (
    <Button size="compact-xs" variant="default" onClick={onClose}>
      Dismiss
    </Button>
  );
  return (
    <section aria-label="Followed job">
      {error && (
        <>
          <ErrorBox error={error} />
          {!job && dismiss}
        </>
      )}
      {job?.status === 'IN_PROGRESS' && <Progressing job={job} />}
      {/* Screen readers read what changes in it, so the progress with its percentages stands outside. */}
      <div aria-live="polite">
        {job && job.status !== 'IN_PROGRESS' && (
          <Group gap="xs">
            <Work of={job} />
            <Status of={job.status} />
            {job.error && (
              <Text size="sm" className="cell" dir="auto">
                {job.error.code}: {withVisibleMarks(job.error.message)}
              </Text>
            )}
            {job.response?.downloadUrl && (
              <Anchor size="sm" href={job.response.downloadUrl} download>
                Download the export
              </Anchor>
            )}
            {dismiss}
          </Group>
        )}
      </div>
      {job?.response && <ImportedTools of={job.response} />}
    </section>
  );
}

/** The outcome of an import of an OpenAPI document. Other jobs have none. */
function ImportedTools({ of }: { of: object }) {
  const open = useOpen();
  const { tools = [], skipped = [] } = of as {
    tools?: ImportedTool[];
    skipped?: { operation: string; reason: string }[];
  };
  if (tools.length === 0) return null;
  return (
    <List size="sm" aria-label="Imported tools">
      {tools.map(({ toolId, name }) => (
        <List.Item key={toolId} className="cell">
          <button type="button" className="link" onClick={() => open({ tool: toolId })}>
            <ForeignName>{name}</ForeignName>
          </button>
        </List.Item>
      ))}
      {skipped.map(({ operation, reason }) => (
        <List.Item key={operation} className="cell">
          {withVisibleMarks(`Left out: ${operation} ${reason}.`)}
        </List.Item>
      ))}
    </List>
  );
}

function Progressing({ job }: { job: DockJob }) {
  const { projectId } = useApp();
  const { dockStatusId, action, stage, percentageComplete } = job;
  const cancel = useAction(() => api.POST(`${DOCK_JOB}/cancel`, { params: { path: { projectId, dockStatusId } } }));
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Work of={job}>
          {': '}
          {stage ?? 'Starting'}, {percentageComplete} %
        </Work>
        <ConfirmButton label="Cancel the job" isBusy={cancel.isPending} onConfirm={() => cancel.mutate()} />
      </Group>
      <Progress value={percentageComplete} aria-label={`${formatCode(action)}, progress`} />
      {cancel.error && <ErrorBox error={cancel.error} />}
    </Stack>
  );
}

/** Names the work of a job, such as "Import of support-7b". */
function Work({ of: job, children }: { of: DockJob; children?: ReactNode }) {
  const name = useTargetName(job);
  return (
    <Text size="sm" className="cell">
      {formatCode(job.action)} of{' '}
      <span title={targetOf(job)}>
        <ForeignName>{name}</ForeignName>
      </span>
      {children}
    </Text>
  );
}

function targetOf({ modelId, toolId }: DockJob): string | undefined {
  return modelId ?? toolId;
}
