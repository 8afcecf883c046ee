import { useRef } from 'react';
import { ApiError } from '../api/client.js';
import { useSession } from '../app/session.js';

/** Whether the user has signed in again since the end of a session led to the refusal, which is then no longer true. */
export function useIsOver(error: Error): boolean {
  const { session, needsKey } = useSession();
  const shownIn = useRef({ error, session });
  if (shownIn.current.error !== error) shownIn.current = { error, session };
  const isRefusal = error instanceof ApiError && error.status === 401;
  return isRefusal && !needsKey && shownIn.current.session !== session;
}
