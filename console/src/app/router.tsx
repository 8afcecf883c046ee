import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { ErrorBox } from '../parts/error-box.js';
import { Empty } from '../parts/empty.js';
import { AppPages } from './app-context.js';
import { APP_PAGES, INSTALLATION_PAGES } from './pages.js';
import { Shell } from './shell.js';

/** The filters of a list stand in the address, so that a link shows the same. All of them are texts. */
export type Search = Partial<Record<string, string>>;

const root = createRootRoute({
  component: Shell,
  validateSearch: (search: Record<string, unknown>): Search =>
    Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)])),
  notFoundComponent: () => <Empty text="There is no page at this address." />,
  errorComponent: ({ error }) => <ErrorBox error={error as Error} />,
});

const app = createRoute({ getParentRoute: () => root, path: '/apps/$appId', component: AppPages });

export const router = createRouter({
  basepath: '/console',
  defaultPreload: 'intent',
  // Filters are texts, also those that look like numbers.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search as Search).filter((entry): entry is [string, string] => Boolean(entry[1]));
    return given.length > 0 ? `?${new URLSearchParams(given).toString()}` : '';
  },
  routeTree: root.addChildren([
    ...INSTALLATION_PAGES.map(({ path, page }) => createRoute({ getParentRoute: () => root, path, component: page })),
    app.addChildren(
      APP_PAGES.map(({ path, page }) => createRoute({ getParentRoute: () => app, path, component: page })),
    ),
  ]),
});
