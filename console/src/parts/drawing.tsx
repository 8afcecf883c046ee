import { Loader } from '@mantine/core';
import { CatchBoundary, useRouterState } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { ErrorBox } from './error-box.js';

/**
 * Shows plots or a picture, whose library is loaded now. If that or the drawing fails, the rest of the page stays, and
 * other filters try it again.
 */
export function Drawing({ children }: { children: ReactNode }) {
  const address = useRouterState({ select: ({ location }) => location.href });
  return (
    <CatchBoundary getResetKey={() => address} errorComponent={({ error }) => <ErrorBox error={error as Error} />}>
      <Suspense fallback={<Loader />}>{children}</Suspense>
    </CatchBoundary>
  );
}
