import { useQuery } from '@tanstack/react-query';
import { api, pageOf, type Schemas } from '../../api/client.js';
import { readAll } from '../../api/read-all.js';
import { REFRESH_SELDOM_MS } from '../../api/refresh.js';
import { Empty } from '../../parts/empty.js';
import { ErrorBox } from '../../parts/error-box.js';
import { createApp } from '../../parts/first-requests.js';
import { PageLink } from '../../parts/page-link.js';

const APPS = '/api/admin/v1/apps';

export type App = Schemas['AppWithProject'];

/** Reads the apps of all projects at once, so that the page does not ask for those of each project. */
export function useAllApps() {
  return useQuery({
    queryKey: ['apps'],
    queryFn: () => readAll((cursor) => pageOf(api.GET(APPS, { params: { query: { limit: 100, cursor } } }))),
    refetchInterval: REFRESH_SELDOM_MS,
  });
}

interface AppsProps {
  /** The id of the project. */
  of: string;
  among: ReturnType<typeof useAllApps>;
}

/** The apps of a project, each with the way to its pages. */
export function Apps({ of: projectId, among: { data: all, error } }: AppsProps) {
  if (!all) return error ? <ErrorBox error={error} /> : 'Loading';
  const apps = all.filter((app) => app.projectId === projectId);
  if (apps.length === 0)
    return <Empty text="This project has no app yet. Create one:" request={createApp(projectId)} />;
  return apps.map(({ appId, name }) => (
    <div key={appId}>
      <PageLink to={`/apps/${appId}/overview`}>{name}</PageLink>
    </div>
  ));
}
