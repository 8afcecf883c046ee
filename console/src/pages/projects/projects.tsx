import { Text } from '@mantine/core';
import { api, pageOf } from '../../api/client.js';
import { useSession } from '../../app/session.js';
import { CreatingPage } from '../../parts/creating-page.js';
import { Empty } from '../../parts/empty.js';
import { createProject, reportCall } from '../../parts/first-requests.js';
import { formatCost, formatNumber } from '../../parts/format.js';
import { List } from '../../parts/list.js';
import { SectionTitle } from '../../parts/section-title.js';
import { sortedBy, sortsOf, useSorting } from '../../parts/sorting.js';
import { useFilters, useOpen } from '../../parts/use-filters.js';
import { SumsOfCalls } from '../overview/sums-of-calls.js';
import { ALL_PROJECTS } from '../overview/sums.js';
import { Apps, useAllApps } from './apps.js';
import { NewAppForm, NewProjectForm } from './new.js';
import { ProjectPanel } from './project.js';
import { AllProblems, ProblemsOf, useAllProblems } from './problems.js';

const PATH = '/api/admin/v1/ledger-summary';
const SORTS = sortsOf<typeof PATH>({ createdAt: 'desc', name: 'asc' });
const DAYS = 30;

/** The overview of the installation: what is wrong in it now, and what the projects used. */
export default function ProjectsPage() {
  // The rows would each read these again, because they are drawn later.
  const apps = useAllApps();
  const problems = useAllProblems();
  const { session } = useSession();
  const [{ project: opened }, change] = useFilters();
  const open = useOpen();
  const sorting = useSorting(SORTS);
  return (
    <CreatingPage
      title="Projects"
      noun="project"
      canCreate={session?.role !== null}
      request={{ path: PATH, query: { ...sortedBy(sorting), days: DAYS }, access: 'administration' }}
      form={(close, create) =>
        create === 'yes' ? (
          // The form for its first app follows, because a project does nothing without one.
          <NewProjectForm onDone={(projectId) => close({ create: projectId })} />
        ) : (
          <NewAppForm key={create} projectId={create} onCancel={close} />
        )
      }
    >
      <AllProblems of={problems} apps={apps.data} />
      <SectionTitle title="Calls in the period" />
      <SumsOfCalls of={ALL_PROJECTS} empty={<NoCalls of={apps.data?.[0]?.projectId} />} />
      <SectionTitle title={`Projects and their last ${DAYS} days`} />
      <Text size="sm">
        The table counts whole days in UTC, which are today and the {DAYS - 1} days before, whichever period is chosen
        above.
      </Text>
      <List
        label="Projects"
        of={['projects']}
        sorting={sorting}
        read={(cursor) => pageOf(api.GET(PATH, { params: { query: { ...sortedBy(sorting), cursor, days: DAYS } } }))}
        idOf={({ projectId }) => projectId}
        onOpen={({ projectId }) => open({ project: projectId })}
        opened={opened}
        columns={[
          { title: 'Name', cell: ({ name }) => name, sortBy: 'name' },
          {
            title: 'Apps',
            cell: (project) => <Apps of={project} among={apps} onNew={() => open({ create: project.projectId })} />,
          },
          { title: 'Calls', cell: ({ calls }) => formatNumber(calls), kind: 'number' },
          { title: 'Tokens', cell: ({ totalTokens }) => formatNumber(totalTokens), kind: 'number' },
          { title: 'Cost', cell: ({ cost }) => formatCost(cost), kind: 'number' },
          { title: 'Failed', cell: ({ failed }) => formatNumber(failed), kind: 'number' },
          {
            title: 'Problems',
            cell: ({ projectId }) => <ProblemsOf projectId={projectId} among={problems} apps={apps.data} />,
          },
          { title: 'Id', cell: ({ projectId }) => projectId, kind: 'id' },
        ]}
        empty={{
          text: 'There is no project yet. Create one above, or with this request:',
          request: createProject(),
        }}
      />
      {opened && <ProjectPanel key={opened} projectId={opened} onClose={() => change({ project: undefined })} />}
    </CreatingPage>
  );
}

/** Shows how a project with an app reports a call. While there is none, the table below begins with a project. */
function NoCalls({ of: projectId }: { of: string | undefined }) {
  const text = 'No project has called a model in this period.';
  if (projectId === undefined) return <Text size="sm">{text}</Text>;
  return <Empty text={`${text} A program can report its own call:`} request={reportCall(projectId)} />;
}
