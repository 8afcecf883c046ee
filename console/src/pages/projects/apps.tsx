import { useQuery } from '@tanstack/react-query';
import { api, pageOf, type Schemas } from '../../api/client.js';
import { readAll } from '../../api/read-all.js';
import { REFRESH_SELDOM_MS } from '../../api/refresh.js';
import { ChangeButton } from '../../parts/change-button.js';
import { ErrorBox } from '../../parts/error-box.js';
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
  /** The project. */
  of: { projectId: string; name: string };
  among: ReturnType<typeof useAllApps>;
  /** Opens the form for a new app. */
  onNew: () => void;
}

/** The apps of a project, each with the way to its pages, and the way to a new one. */
export function Apps({ of: { projectId, name }, among: { data: all, error }, onNew }: AppsProps) {
  if (!all) return error ? <ErrorBox error={error} /> : 'Loading';
  const apps = all.filter((app) => app.projectId === projectId);
  return (
    <>
      {apps.length === 0 && <div>No app yet</div>}
      {apps.map(({ appId, name }) => (
        <div key={appId}>
          <PageLink to={`/apps/${appId}/overview`}>{name}</PageLink>
        </div>
      ))}
      <ChangeButton size="compact-xs" variant="subtle" aria-label={`New app of ${name}`} onClick={onNew}>
        New app
      </ChangeButton>
    </>
  );
}
