import { Loader } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { createContext, useContext, useMemo } from 'react';
import { api, apiOf, dataOf, type Schemas } from '../api/client.js';
import { isGone, queries } from '../api/queries.js';
import { ErrorBox } from '../parts/error-box.js';
import { Page } from '../parts/page.js';
import { PageLink } from '../parts/page-link.js';
import { FRESH_MS, REFRESH_MS } from '../api/refresh.js';

export interface AppContext {
  appId: string;
  projectId: string;
  name: string;
  /** The routes that take an API key, in the name of the app. */
  asApp: ReturnType<typeof apiOf>;
}

const Context = createContext<AppContext | null>(null);

export function useApp(): AppContext {
  return useContext(Context)!;
}

/** Returns the project of the app whose pages are shown, and undefined on the pages of the installation. */
export function useProjectId(): string | undefined {
  return useContext(Context)?.projectId;
}

/** Returns the id in the address of an app's page, and undefined on the pages of the installation. */
export function useAppId(): string | undefined {
  const params: { appId?: string } = useParams({ strict: false });
  return params.appId;
}

export function useAppOfAddress(appId: string | undefined) {
  return useQuery({ ...appOptions(appId ?? ''), enabled: appId !== undefined, refetchInterval: REFRESH_MS });
}

const appOptions = (appId: string) =>
  queryOptions({
    queryKey: ['app', appId],
    queryFn: () => dataOf(api.GET('/api/admin/v1/apps/{appId}', { params: { path: { appId } } })),
    staleTime: FRESH_MS,
  });

type App = Pick<Schemas['App'], 'appId' | 'projectId' | 'name'>;

const contextOf = ({ appId, projectId, name }: App): AppContext => ({ appId, projectId, name, asApp: apiOf(appId) });

/** Returns the app, which the router asks for while the code of its page is still loading. */
export async function askForApp(appId: string): Promise<AppContext> {
  return contextOf(await queries.ensureQueryData(appOptions(appId)));
}

/** Provides the pages of an app with the app that the address names. */
export function AppPages() {
  const appId = useAppId();
  const { data: app, error } = useAppOfAddress(appId);
  const context = useMemo(() => app && contextOf(app), [app]);
  if (isGone(error)) return <AppIsGone error={error} />;
  // The pages stay if reading the app again fails otherwise, because they may have forms that are filled in.
  if (error && !context) return <ErrorBox error={error} />;
  if (!context) return <Loader />;
  // An app does not show what a user has typed or begun in another one.
  return (
    <Context.Provider key={context.appId} value={context}>
      <Outlet />
    </Context.Provider>
  );
}

/** Stands in place of the pages of an app that was deleted, so that none of them asks for more. */
function AppIsGone({ error }: { error: Error }) {
  return (
    <Page title="App not found">
      <ErrorBox error={error} />
      <PageLink to="/">All projects</PageLink>
    </Page>
  );
}
