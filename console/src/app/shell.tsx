import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  Loader,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../api/client.js';
import { AwayBanner, ErrorBox, RequestId } from '../parts/error-box.js';
import { MAIN, useKeyboardKept } from '../parts/keyboard.js';
import { PageLink } from '../parts/page-link.js';
import { sentenceOf } from '../parts/sentences.js';
import { useLasting } from '../parts/use-lasting.js';
import { useAppId, useAppOfAddress } from './app-context.js';
import { AppSwitch } from './app-switch.js';
import { APP_PAGES, INSTALLATION_PAGES, isOpenTo } from './pages.js';
import { type Session, useSession } from './session.js';
import { SignIn } from './sign-in.js';

/** The id of the navigation, which narrow windows show on request. */
const NAVIGATION = 'navigation';
/** A page that takes longer is said to be loading. */
const SLOW_MS = 1_000;

/** The frame of all pages: navigation, the present app, and the sign-in in front of them. */
export function Shell() {
  const { session, failure } = useSession();
  const [isOpen, { toggle, close }] = useDisclosure();
  useKeyboardKept();
  const leave = () => {
    if (!isOpen) return;
    close();
    document.getElementById(MAIN)?.focus();
  };
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
      transitionDuration={0}
    >
      <SkipLink />
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              size="sm"
              aria-label="Navigation"
              aria-expanded={isOpen}
              aria-controls={NAVIGATION}
              hiddenFrom="sm"
            />
            <PageLink to="/" className="link home">
              Slipway
            </PageLink>
          </Group>
          <Account />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        p="xs"
        id={NAVIGATION}
        aria-label="Pages"
        className="navigation"
        data-closed={!isOpen || undefined}
        onClick={({ target }) => (target as Element).closest('a') && leave()}
        onChange={leave}
      >
        {session && <Navigation session={session} />}
      </AppShell.Navbar>
      <AppShell.Main id={MAIN} tabIndex={-1}>
        <AwayBanner />
        {failure && <ErrorBox error={failure} />}
        <SlowPage />
        {session && <Outlet />}
      </AppShell.Main>
      <SignIn />
    </AppShell>
  );
}

/** Leads keyboards past the navigation, and is only seen while it has the focus. */
function SkipLink() {
  const [isFocused, setFocused] = useState(false);
  return (
    <Button
      component="a"
      href={`#${MAIN}`}
      pos="fixed"
      top={8}
      left={isFocused ? 8 : -9999}
      style={{ zIndex: 300 }}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      onClick={(event) => {
        // The address stays, because the router would take its last part for a change of page.
        event.preventDefault();
        document.getElementById(MAIN)?.focus();
      }}
    >
      Skip to the page
    </Button>
  );
}

/**
 * Says that the code of a page does not come. The page before it stays until then, so that nothing typed is lost. Screen
 * readers read what changes in the element, so it is there before.
 */
function SlowPage() {
  const isLoading = useRouterState({ select: ({ status }) => status === 'pending' });
  const isSlow = useLasting(isLoading, SLOW_MS);
  return (
    <Group role="status">
      {isSlow && (
        <>
          <Loader size="sm" />
          <Text size="sm">The chosen page is loading.</Text>
        </>
      )}
    </Group>
  );
}

function Account() {
  const { session } = useSession();
  const appId = useAppId();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <Group wrap="nowrap" gap="xs">
      <ActionIcon variant="default" aria-label={`Use the ${other} colors`} onClick={() => setColorScheme(other)}>
        {scheme === 'dark' ? '☀' : '☾'}
      </ActionIcon>
      {session && (
        <>
          <Text size="sm" visibleFrom="sm">
            {session.name ?? 'SLIPWAY_ADMIN_KEY'} · {appId === undefined ? rolesOf(session) : <RolesIn of={appId} />}
          </Text>
          <SignOut key={session.consoleSessionId} />
        </>
      )}
    </Group>
  );
}

const AWAY = 'The service does not answer. Keep this page open: you are signed out when it does.';

function SignOut() {
  const { signOut } = useSession();
  const [isDelayed, setDelayed] = useState(false);
  const { isPending, error, mutate } = useMutation({ mutationFn: () => signOut(() => setDelayed(true)) });
  const news = isPending && isDelayed ? AWAY : error && sentenceOf(error);
  return (
    <>
      {news && (
        <div role="alert">
          <Text size="sm">{news}</Text>
          {error instanceof ApiError && <RequestId of={error.requestId} />}
        </div>
      )}
      <Button variant="default" size="xs" loading={isPending} onClick={() => mutate()}>
        Sign out
      </Button>
    </>
  );
}

function RolesIn({ of: appId }: { of: string }) {
  const { session } = useSession();
  const { data: app } = useAppOfAddress(appId);
  return session && rolesOf(session, app?.projectId);
}

/** Names the role in the whole installation, and on the pages of an app the one in its project. */
function rolesOf({ role, projectRoles }: Session, projectId?: string): string {
  const inProject = projectRoles.find((each) => each.projectId === projectId);
  const others = projectRoles.length > 0 && 'roles in projects';
  return [role, inProject ? `${inProject.role} in this project` : others].filter(Boolean).join(', ');
}

function Navigation({ session }: { session: Session }) {
  const appId = useAppId();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const pages = INSTALLATION_PAGES.filter((page) => isOpenTo(session, page));
  return (
    <>
      <Text size="xs" c="dimmed" px="xs">
        Installation
      </Text>
      {pages.map(({ path, title }) => (
        <PageLink key={path} to={path} className="navigation-link" isActive={pathname === path}>
          {title}
        </PageLink>
      ))}
      {appId !== undefined && (
        <>
          <AppSwitch of={appId} />
          {APP_PAGES.map(({ path, title }) => {
            const to = `/apps/${appId}/${path}` as const;
            return (
              <PageLink key={path} to={to} className="navigation-link" isActive={pathname === to}>
                {title}
              </PageLink>
            );
          })}
        </>
      )}
    </>
  );
}
