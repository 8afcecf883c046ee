import { Alert, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import type { AppPagePath } from '../../app/pages.js';
import { useSession } from '../../app/session.js';
import { ErrorBox } from '../../parts/error-box.js';
import { ForeignName } from '../../parts/foreign-text.js';
import { withLocalTimes } from '../../parts/format.js';
import { PageLink } from '../../parts/page-link.js';
import { withVisibleMarks } from '../../parts/visible-marks.js';
import { REFRESH_MS } from '../../api/refresh.js';

type Problem = Schemas['Problem'];

interface Place {
  page: AppPagePath | 'jobs';
  search?: Record<string, string>;
}

/** The pages that mend the problems. */
const PLACES: Readonly<Record<Problem['kind'], (subject: string, projectId: string) => Place>> = {
  CONNECTION_UNREADABLE: (connection) => ({ page: 'connections', search: { connection } }),
  CONNECTION_FAILING: (connection) => ({ page: 'connections', search: { connection } }),
  MODEL_CALLS_FAILING: (model) => ({ page: 'ledger', search: { status: 'failed', model, period: '1h' } }),
  RECEIVER_DISABLED: (subscription) => ({ page: 'webhooks', search: { subscription } }),
  RECEIVER_PAUSED: (subscription) => ({ page: 'webhooks', search: { subscription } }),
  RECEIVER_FAILING: (subscription) => ({ page: 'webhooks', search: { subscription } }),
  MODEL_NOT_IMPORTED: (model) => ({ page: 'models', search: { model } }),
  MODEL_NOT_SERVED: (model) => ({ page: 'models', search: { model } }),
  TOOL_NOT_IMPORTED: (tool) => ({ page: 'tools', search: { tool } }),
  JOBS_FAILED: (name, projectId) => ({ page: 'jobs', search: { state: 'failed', projectId, name } }),
  STORAGE_FULL: () => ({ page: 'files' }),
};

/** The list of what is wrong in the project now. It shows nothing while all is well. */
export function Problems() {
  const { appId, projectId } = useApp();
  const { data: problems, error } = useProblems(projectId);
  return (
    <>
      {error && <ErrorBox error={error} />}
      {problems && <ProblemList of={problems.map((problem) => ({ problem, projectId, appId }))} />}
    </>
  );
}

interface FoundProblem extends Omit<ProblemLinkProps, 'of'> {
  problem: Problem;
  /** Is given if the list has the problems of several projects. */
  projectName?: string;
}

/** The problems, or that there is none. The text says where those are that the list leaves out. */
export function ProblemList({ of: problems, more }: { of: readonly FoundProblem[]; more?: string | undefined }) {
  if (problems.length === 0) return <Text size="sm">Nothing is wrong now.</Text>;
  return (
    <Alert color="red" title="Problems now" role="region" aria-label="Problems now">
      <List size="sm">
        {problems.map(({ problem, projectName, ...where }, at) => (
          <List.Item key={at}>
            {projectName !== undefined && (
              <>
                <ForeignName>{projectName}</ForeignName>:{' '}
              </>
            )}
            <ProblemLink of={problem} {...where} />
          </List.Item>
        ))}
      </List>
      {more}
    </Alert>
  );
}

function useProblems(projectId: string) {
  return useQuery({
    queryKey: ['problems', projectId],
    queryFn: () => dataOf(api.GET('/api/admin/v1/projects/{projectId}/problems', { params: { path: { projectId } } })),
    refetchInterval: REFRESH_MS,
  });
}

interface ProblemLinkProps {
  of: Problem;
  projectId: string;
  /** The app whose pages mend the problem. It is undefined if the project has no app. */
  appId: string | undefined;
}

/** Leads to the page that mends the problem, if there is one that the administrator may read. */
export function ProblemLink({ of: { kind, message, subject }, projectId, appId }: ProblemLinkProps) {
  const { session } = useSession();
  const { page, search } = PLACES[kind](subject ?? '', projectId);
  const text = (
    <span className="cell" dir="auto">
      {withVisibleMarks(withLocalTimes(message))}
    </span>
  );
  // Roles in single projects may not read the jobs of the installation.
  const isOpen = page === 'jobs' ? session?.role !== null : appId !== undefined;
  if (!isOpen) return text;
  return (
    <PageLink to={page === 'jobs' ? '/jobs' : `/apps/${appId}/${page}`} search={search} className="problem">
      {text}
    </PageLink>
  );
}
