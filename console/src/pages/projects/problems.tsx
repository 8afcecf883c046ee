import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, pageOf } from '../../api/client.js';
import { REFRESH_SELDOM_MS } from '../../api/refresh.js';
import { readAll } from '../../api/read-all.js';
import { ErrorBox } from '../../parts/error-box.js';
import { PageLink } from '../../parts/page-link.js';
import { ProblemLink, ProblemList } from '../overview/problems.js';
import type { App } from './apps.js';

const PROBLEMS = '/api/admin/v1/problems';
const SHOWN_AT_TOP = 10;
/** The overview of the app shows the others. */
const SHOWN_OF_PROJECT = 3;

/** Finding all problems asks each project's modules. */
export function useAllProblems() {
  return useQuery({
    queryKey: ['problems'],
    queryFn: () => readAll((cursor) => pageOf(api.GET(PROBLEMS, { params: { query: { limit: 100, cursor } } }))),
    refetchInterval: REFRESH_SELDOM_MS,
  });
}

interface AllProblemsProps {
  of: ReturnType<typeof useAllProblems>;
  apps: readonly App[] | undefined;
}

/** The present problems of all projects, each with the name of its project. */
export function AllProblems({ of: { data: all, error }, apps }: AllProblemsProps) {
  if (!all) return error && <ErrorBox error={error} />;
  const problems = all.flatMap(({ projectId, problems }) => {
    const app = apps?.find((each) => each.projectId === projectId);
    const where = { projectId, projectName: app?.projectName ?? projectId, appId: app?.appId };
    return problems.map((problem) => ({ ...where, problem }));
  });
  const more = problems.length - SHOWN_AT_TOP;
  return (
    <ProblemList
      of={problems.slice(0, SHOWN_AT_TOP)}
      more={more > 0 ? `The table of projects has ${more} more.` : undefined}
    />
  );
}

interface ProblemsOfProps {
  projectId: string;
  among: ReturnType<typeof useAllProblems>;
  apps: readonly App[] | undefined;
}

/** The problems of one project, for its row. */
export function ProblemsOf({ projectId, among: { data: all, error }, apps }: ProblemsOfProps) {
  if (error && !all) return <ErrorBox error={error} />;
  if (!all) return 'Loading';
  const appId = apps?.find((each) => each.projectId === projectId)?.appId;
  const problems = all.find((each) => each.projectId === projectId)?.problems ?? [];
  if (problems.length === 0) return '–';
  const more = problems.length - SHOWN_OF_PROJECT;
  return (
    <>
      {problems.slice(0, SHOWN_OF_PROJECT).map((problem, at) => (
        <div key={at}>
          <ProblemLink of={problem} projectId={projectId} appId={appId} />
        </div>
      ))}
      {more > 0 && <More problems={more} appId={appId} />}
    </>
  );
}

function More({ problems, appId }: { problems: number; appId: string | undefined }) {
  const text = `${problems} more`;
  if (appId === undefined) return <Text size="sm">{text}</Text>;
  return <PageLink to={`/apps/${appId}/overview`}>{text}</PageLink>;
}
