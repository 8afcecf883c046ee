import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, pageOf } from '../../api/client.js';
import { readAll } from '../../api/read-all.js';
import { ErrorBox } from '../../parts/error-box.js';
import { formatCost, formatNumber } from '../../parts/format.js';
import { List } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { ProblemLink } from '../overview/problems.js';
import { SumsOfCalls } from '../overview/sums-of-calls.js';
import { ALL_PROJECTS } from '../overview/sums.js';

const PATH = '/api/admin/v1/ledger-summary';
const APPS = '/api/admin/v1/apps';
const PROBLEMS = '/api/admin/v1/problems';
const DAYS = 30;
/** The overview of the app shows the others. */
const PROBLEMS_SHOWN = 3;
/** Finding all problems asks each project's modules, so they refresh seldom. */
const REFRESH_PROBLEMS_MS = 60_000;

/** The overview of the installation: what the projects used, and what is wrong in it now. */
export default function ProjectsPage() {
  return (
    <Page title="Projects" request={{ path: PATH, query: { days: DAYS }, access: 'administration' }}>
      <SumsOfCalls of={ALL_PROJECTS} empty={<Text size="sm">No project has called a model in this period.</Text>} />
      <Text size="sm">The table of projects counts whole days in UTC: today and the {DAYS - 1} days before.</Text>
      <List
        label="Projects"
        of={['projects']}
        read={(cursor) => pageOf(api.GET(PATH, { params: { query: { cursor, days: DAYS } } }))}
        idOf={({ projectId }) => projectId}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Apps', cell: ({ projectId }) => <Apps of={projectId} /> },
          { title: 'Calls', cell: ({ calls }) => formatNumber(calls), isNumber: true },
          { title: 'Tokens', cell: ({ totalTokens }) => formatNumber(totalTokens), isNumber: true },
          { title: 'Cost', cell: ({ cost }) => formatCost(cost), isNumber: true },
          { title: 'Failed', cell: ({ failed }) => formatNumber(failed), isNumber: true },
          { title: 'Problems', cell: ({ projectId }) => <ProblemsOf projectId={projectId} /> },
          { title: 'Id', cell: ({ projectId }) => projectId },
        ]}
        empty={{
          text: 'There is no project yet. Create one:',
          request: {
            method: 'POST',
            path: '/api/admin/v1/projects',
            access: 'administration',
            body: { name: 'Customer service' },
          },
        }}
      />
    </Page>
  );
}

/** Reads the apps of all projects at once, so that the page does not ask for those of each project. */
function useApps(projectId: string) {
  return useQuery({
    queryKey: ['apps'],
    queryFn: () => readAll((cursor) => pageOf(api.GET(APPS, { params: { query: { limit: 100, cursor } } }))),
    select: (all) => all.filter((app) => app.projectId === projectId),
  });
}

function Apps({ of }: { of: string }) {
  const { data: apps, error } = useApps(of);
  if (error) return <ErrorBox error={error} />;
  if (!apps) return 'Loading';
  return apps.map(({ appId, name }) => (
    <div key={appId}>
      <Anchor component={Link} to="/apps/$appId/overview" params={{ appId } as never}>
        {name}
      </Anchor>
    </div>
  ));
}

function useAllProblems() {
  return useQuery({
    queryKey: ['problems'],
    queryFn: () => readAll((cursor) => pageOf(api.GET(PROBLEMS, { params: { query: { limit: 100, cursor } } }))),
    refetchInterval: REFRESH_PROBLEMS_MS,
  });
}

/** The pages that mend something belong to an app, so a project without an app shows nothing. */
function ProblemsOf({ projectId }: { projectId: string }) {
  const { data: apps } = useApps(projectId);
  const app = apps?.[0];
  return app ? <ProblemsSeenFrom appId={app.appId} projectId={projectId} /> : '–';
}

function ProblemsSeenFrom({ appId, projectId }: { appId: string; projectId: string }) {
  const { data: all, error } = useAllProblems();
  if (error && !all) return <ErrorBox error={error} />;
  if (!all) return 'Loading';
  const problems = all.find((each) => each.projectId === projectId)?.problems ?? [];
  if (problems.length === 0) return '–';
  const more = problems.length - PROBLEMS_SHOWN;
  return (
    <>
      {problems.slice(0, PROBLEMS_SHOWN).map((problem, at) => (
        <div key={at}>
          <ProblemLink of={problem} projectId={projectId} appId={appId} />
        </div>
      ))}
      {more > 0 && (
        <Anchor
          component={Link}
          to="/apps/$appId/overview"
          params={{ appId } as never}
          size="sm"
          c="var(--mantine-color-text)"
          underline="always"
        >
          {more} more
        </Anchor>
      )}
    </>
  );
}
