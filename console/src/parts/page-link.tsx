import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import type { PageAddress } from '../app/pages.js';
import { withVisibleMarks } from './visible-marks.js';

interface PageLinkProps {
  to: PageAddress;
  search?: Record<string, string> | undefined;
  className?: string;
  isActive?: boolean;
  children: ReactNode;
}

/** Returns what opens a page, beside the present one or in its place, and what begins to load it. The router learns the pages from a list, so its types know none. */
export function useVisit() {
  const router = useRouter();
  const locationOf = (to: PageAddress, search?: Record<string, string>) => ({ to, search }) as never;
  return {
    visit: (...page: Parameters<typeof locationOf>) => void router.navigate(locationOf(...page)),
    replaceBy: (to: PageAddress) => void router.navigate({ ...(locationOf(to) as object), replace: true }),
    preload: (...page: Parameters<typeof locationOf>) => void router.preloadRoute(locationOf(...page)),
  };
}

/**
 * Leads to a page as the router's own link does, which takes most of the time when a list has one in each row. The
 * page begins to load when the pointer or the focus reaches the link.
 */
export function PageLink({ to, search, className = 'link', isActive = false, children }: PageLinkProps) {
  const router = useRouter();
  const { visit, preload } = useVisit();
  const address = `${router.basepath}${to}${search ? `?${new URLSearchParams(search).toString()}` : ''}`;
  const follow = (event: MouseEvent) => {
    // Other clicks open a new tab or window, or save the page.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    visit(to, search);
  };
  return (
    <a
      href={address}
      className={className}
      aria-current={isActive ? 'page' : undefined}
      onClick={follow}
      onPointerEnter={() => preload(to, search)}
      onFocus={() => preload(to, search)}
    >
      {typeof children === 'string' ? withVisibleMarks(children) : children}
    </a>
  );
}
