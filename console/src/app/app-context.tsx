import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { createContext, useContext, useMemo } from 'react';
import { api, apiOf, dataOf } from '../api/client.js';
import { ErrorBox } from '../parts/error-box.js';

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

/** Returns the id in the address of an app's page, and undefined on the pages of the installation. */
export function useAppId(): string | undefined {
  const params: { appId?: string } = useParams({ strict: false });
  return params.appId;
}

export function useAppOfAddress(appId: string | undefined) {
  return useQuery({
    queryKey: ['app', appId],
    queryFn: () => dataOf(api.GET('/api/admin/v1/apps/{appId}', { params: { path: { appId: appId! } } })),
    enabled: appId !== undefined,
  });
}

/** Provides the pages of an app with the app that the address names. */
export function AppPages() {
  const appId = useAppId();
  const { data: app, error } = useAppOfAddress(appId);
  const context = useMemo(
    () => app && { appId: app.appId, projectId: app.projectId, name: app.name, asApp: apiOf(app.appId) },
    [app],
  );
  // The pages stay if reading the app again fails, because they may have forms that are filled in.
  if (error && !context) return <ErrorBox error={error} />;
  if (!context) return <Loader aria-label="Loading" />;
  return (
    <Context.Provider value={context}>
      <Outlet />
    </Context.Provider>
  );
}
