import { Button, Stack, Text } from '@mantine/core';
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { isSignedIn } from '../api/client.js';
import { queries } from '../api/queries.js';
import { ErrorBox } from '../parts/error-box.js';
import { Page } from '../parts/page.js';
import { PageLink } from '../parts/page-link.js';
import { AppPages, askForApp } from './app-context.js';
import { loadPage } from './load-page.js';
import { APP_PAGES, INSTALLATION_PAGES, type PageEntry } from './pages.js';
import { Shell } from './shell.js';

/** The filters of a list stand in the address, so that a link shows the same. All of them are texts. */
export type Search = Partial<Record<string, string>>;

function NoSuchPage() {
  return (
    <Page title="Page not found">
      <Text>There is no page at this address.</Text>
      <PageLink to="/">All projects</PageLink>
    </Page>
  );
}

const root = createRootRoute({
  component: Shell,
  validateSearch: (search: Record<string, unknown>): Search =>
    Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)])),
  notFoundComponent: NoSuchPage,
  errorComponent: ({ error }) => <ErrorBox error={error as Error} />,
});

const app = createRoute({ getParentRoute: () => root, path: '/apps/$appId', component: AppPages });

/** An address that someone shortened to the app shows its first page. */
const appItself = createRoute({
  getParentRoute: () => app,
  path: '/',
  beforeLoad: ({ params: { appId } }) =>
    void redirect({ to: `/apps/${appId}/overview`, replace: true, throw: true } as never),
});

/** Begins the requests of a page while its code loads and the page is drawn. The page itself shows what fails. */
async function ask(appId: string, search: Search, load: PageEntry['load']): Promise<void> {
  if (!isSignedIn()) return;
  try {
    const [context, page] = await Promise.all([askForApp(appId), loadPage(load)]);
    page.ask?.(context, search);
  } catch {
    // The page asks again.
  }
}

/** Shows why a page could not be drawn. Its data is forgotten before it is tried again. */
function PageThatFails({ error, reset }: ErrorComponentProps) {
  const tryAgain = () => {
    queries.clear();
    reset();
  };
  return (
    <Stack>
      <ErrorBox error={error as Error} />
      <Button size="xs" variant="default" w="max-content" onClick={tryAgain}>
        Try again
      </Button>
    </Stack>
  );
}

export const router = createRouter({
  basepath: '/console',
  defaultPreload: 'intent',
  // A page that cannot be drawn leaves the frame, whose navigation leads to the others.
  defaultErrorComponent: PageThatFails,
  // Filters are texts, also those that look like numbers.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search as Search).filter((entry): entry is [string, string] => Boolean(entry[1]));
    return given.length > 0 ? `?${new URLSearchParams(given).toString()}` : '';
  },
  routeTree: root.addChildren([
    ...INSTALLATION_PAGES.map(({ path, load }) =>
      createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(() => loadPage(load)) }),
    ),
    app.addChildren([
      appItself,
      ...APP_PAGES.map(({ path, load }) =>
        createRoute({
          getParentRoute: () => app,
          path,
          component: lazyRouteComponent(() => loadPage(load)),
          loader: ({ params, location }) => {
            void ask(params.appId, location.search, load);
          },
        }),
      ),
    ]),
  ]),
});
