import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { api, dataOf } from '../api/client.js';
import { isGone } from '../api/queries.js';
import { REFRESH_SELDOM_MS } from '../api/refresh.js';
import { useVisit } from '../parts/page-link.js';
import { withVisibleMarks } from '../parts/visible-marks.js';
import { useAppOfAddress } from './app-context.js';
import { APP_PAGES } from './pages.js';

const MOST = 100;
/** The page of projects lists the apps for which there is no room here. */
const ALL = '';

/** Names the app whose pages are shown, and leads to the same page of another one. */
export function AppSwitch({ of: appId }: { of: string }) {
  const { data: app, error } = useAppOfAddress(appId);
  const { data: apps = [] } = useQuery({
    queryKey: ['apps', 'to choose'],
    queryFn: () => dataOf(api.GET('/api/admin/v1/apps', { params: { query: { limit: MOST } } })),
    refetchInterval: REFRESH_SELDOM_MS,
    enabled: !isGone(error),
  });
  const { visit } = useVisit();
  const path = useRouterState({ select: ({ location }) => location.pathname.split('/').at(-1) });
  const page = APP_PAGES.find((each) => each.path === path)?.path ?? 'overview';
  const known = apps.map((each) => ({
    value: each.appId,
    label: withVisibleMarks(`${each.projectName}: ${each.name}`),
  }));
  const isKnown = apps.some((each) => each.appId === appId);
  return (
    <NativeSelect
      size="xs"
      px="xs"
      mt="md"
      mb={4}
      aria-label="App of these pages. A choice opens the same page of another app."
      value={appId}
      onChange={({ currentTarget: { value } }) => visit(value === ALL ? '/' : `/apps/${value}/${page}`)}
      data={[
        ...(isKnown ? [] : [{ value: appId, label: app?.name ?? appId }]),
        ...known,
        ...(apps.length === MOST ? [{ value: ALL, label: 'All apps' }] : []),
      ]}
    />
  );
}
