import { useQuery } from '@tanstack/react-query';
import { filled } from '../../api/path.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { useApp } from '../../app/app-context.js';
import { Empty } from '../../parts/empty.js';
import { reportCall } from '../../parts/first-requests.js';
import { Page } from '../../parts/page.js';
import { projectOptions } from '../projects/requests.js';
import { Problems } from './problems.js';
import { SumsOfCalls, useSumsQuery } from './sums-of-calls.js';
import { SUMS_PATH, useThisProject } from './sums.js';

/** Reads the name of the project, whose calls the page adds up. An app of it may have another name. */
function useProjectName(projectId: string): string {
  const { data } = useQuery({ ...projectOptions(projectId), refetchInterval: REFRESH_MS });
  return data?.name ?? 'Overview';
}

/** A page with the present problems, and the calls of the project, added up by a member of the user's choice. */
export default function OverviewPage() {
  const { projectId } = useApp();
  const name = useProjectName(projectId);
  const project = useThisProject();
  const { queryOf } = useSumsQuery(project);
  return (
    <Page title={name} request={queryOf && { path: filled(SUMS_PATH, { projectId }), query: queryOf(), access: 'key' }}>
      <Problems />
      <SumsOfCalls
        of={project}
        arePlotsOpen
        empty={
          <Empty
            text="No model was called in this period. An agent calls one when it answers, and a program can report its own call:"
            request={reportCall(projectId)}
          />
        }
      />
    </Page>
  );
}
