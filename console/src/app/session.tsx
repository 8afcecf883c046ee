import { focusManager, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  Fragment,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { api, ApiError, dataOf, onSignedOut, type Schemas, setToken } from '../api/client.js';
import { untilNextTry } from '../api/next-try.js';
import { withSignal } from '../api/present-signal.js';
import { mayPass } from '../api/queries.js';
import { REFRESH_MS } from '../api/refresh.js';
import { forgetRequests } from '../api/repeats.js';

export interface Session {
  consoleSessionId: string;
  /** The id of the person or of the key, because two people may have the same name. */
  actorId: string;
  /** The name of the person or of the administration key; null for the key in SLIPWAY_ADMIN_KEY. */
  name: string | null;
  /** The role in the whole installation; null with roles in single projects alone. */
  role: Schemas['AdminRole'] | null;
  /** The roles in single projects. */
  projectRoles: readonly Schemas['RoleInProject'][];
}

interface SessionState {
  /** The session whose pages are shown. It stays when it has ended by itself, so that its pages stay too. */
  session: Session | null;
  /** Whether a key has to be entered. It is false until the service has answered. */
  needsKey: boolean;
  /** Why it is not known yet whether the browser is signed in. */
  failure: Error | null;
  signIn: (key: string) => Promise<void>;
  /**
   * Signs out, and tries again until the service answers. Calls `onDelay` each time when it does not. If the browser signs
   * in meanwhile, the new session stays.
   */
  signOut: (onDelay: () => void) => Promise<void>;
}

/** A browser cannot send other letters in a header. */
const KEY = /^[\x21-\x7e]{1,512}$/;
const NO_KEY = 'This is not a key. Copy the whole key, which has no spaces.';

/** The other tabs of the browser, which learn here that one has signed in or out. */
const tabs = new BroadcastChannel('slipway-console');
const SIGNED_IN = 'signed in';
const SIGNED_OUT = 'signed out';

/** The fragment of the address to which a sign-in without a key leads. */
const JUST_SIGNED_IN = '#signed-in';

/** Tells the other tabs if this one has signed in on a page without scripts of the console. */
function announceSignIn() {
  if (window.location.hash !== JUST_SIGNED_IN) return;
  tabs.postMessage(SIGNED_IN);
  window.history.replaceState(window.history.state, '', window.location.pathname);
}

/** Returns the session of the browser's cookie, or null if there is none. */
const readCurrent = () => dataOf(api.GET('/api/admin/v1/console-sessions/current'));

/** Tells people and keys apart, and former roles from present ones. No other one must see what one has read or typed. */
const fingerprintOf = ({ actorId, role, projectRoles }: Session) => JSON.stringify([actorId, role, projectRoles]);

/** Ends a session, and returns whether the browser is signed out then. */
async function endSession(consoleSessionId: string): Promise<boolean> {
  try {
    const params = { path: { consoleSessionId } };
    await api.DELETE('/api/admin/v1/console-sessions/{consoleSessionId}', { params });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || ![401, 404].includes(error.status)) throw error;
    // The session has ended already, maybe because another tab has signed in.
    return (await readCurrent()) === null;
  }
}

const untilRetry = () => new Promise((resolve) => setTimeout(resolve, REFRESH_MS));

const Context = createContext<SessionState | null>(null);

export function useSession(): SessionState {
  return useContext(Context)!;
}

/** Keeps the session of the browser, which its cookie carries across reloads. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [session, setSession] = useState<Session | null>(null);
  const [needsKey, setNeedsKey] = useState(false);
  const [failure, setFailure] = useState<Error | null>(null);
  /** Counts the people who have signed in one after the other. The pages are made again for another one. */
  const [people, setPeople] = useState(0);
  const queries = useQueryClient();
  const lastFingerprint = useRef<string | null>(null);
  const forget = useCallback(() => {
    queries.clear();
    forgetRequests();
  }, [queries]);
  /** Counts the sign-ins and sign-outs. An answer to a request from before one of them says nothing of the present. */
  const changes = useRef(0);
  const enter = useCallback(
    ({ token, ...next }: Session & { token: string | null }) => {
      changes.current++;
      const fingerprint = fingerprintOf(next);
      if (lastFingerprint.current !== null && lastFingerprint.current !== fingerprint) {
        forget();
        setPeople((before) => before + 1);
      }
      lastFingerprint.current = fingerprint;
      setToken(token);
      setSession(next);
      setNeedsKey(false);
      setFailure(null);
      focusManager.setFocused(undefined);
    },
    [forget],
  );
  const expire = useCallback(() => {
    setToken(null);
    setNeedsKey(true);
    setFailure(null);
    // Without a key every answer would be a refusal. Pages that are not looked at ask for nothing.
    focusManager.setFocused(false);
  }, []);
  /** Shows nothing of the session any more, in contrast to one that has ended by itself. */
  const leave = useCallback(() => {
    changes.current++;
    expire();
    setSession(null);
    forget();
  }, [expire, forget]);
  // A page that asks for nothing else notices the end of the session by this.
  useQuery({
    queryKey: ['console-session'],
    queryFn: async () => {
      const before = changes.current;
      const current = await readCurrent();
      if (current === null && before === changes.current) expire();
      return current;
    },
    refetchInterval: REFRESH_MS,
    enabled: session !== null && !needsKey,
  });

  useEffect(() => {
    let looks = 0;
    const unmounted = new AbortController();
    const look = async () => {
      const before = changes.current;
      const number = ++looks;
      const isOld = () => unmounted.signal.aborted || before !== changes.current || number !== looks;
      while (!isOld()) {
        try {
          const current = await withSignal(unmounted.signal, readCurrent);
          if (isOld()) return;
          if (current === null) return expire();
          enter(current);
          return void (await queries.invalidateQueries());
        } catch (error) {
          if (isOld()) return;
          setFailure(error as Error);
        }
        await untilNextTry();
      }
    };
    onSignedOut(() => {
      setToken(null);
      // Another tab may have signed in again, whose cookie this one has too.
      void look();
    });
    const lookAgain = ({ data }: MessageEvent) => (data === SIGNED_OUT ? leave() : void look());
    tabs.addEventListener('message', lookAgain);
    announceSignIn();
    void look();
    return () => {
      unmounted.abort();
      tabs.removeEventListener('message', lookAgain);
    };
  }, [enter, expire, leave, queries]);

  const state = useMemo<SessionState>(
    () => ({
      session,
      needsKey,
      failure,
      signIn: async (key) => {
        if (!KEY.test(key)) throw new ApiError(0, 'NO_KEY', NO_KEY, null);
        const headers = { 'x-api-key': key };
        enter(await dataOf(api.POST('/api/admin/v1/console-sessions', { headers })));
        tabs.postMessage(SIGNED_IN);
        await queries.invalidateQueries();
      },
      signOut: async (onDelay) => {
        const { consoleSessionId } = session!;
        const before = changes.current;
        const isPresent = () => before === changes.current;
        // Someone who leaves the browser is not there to press again. The retries of mutations pause while a page is hidden.
        while (isPresent()) {
          try {
            const isSignedOut = await endSession(consoleSessionId);
            if (isSignedOut && isPresent()) {
              leave();
              tabs.postMessage(SIGNED_OUT);
            }
            return;
          } catch (error) {
            if (!mayPass(error)) throw error;
          }
          onDelay();
          await untilRetry();
        }
      },
    }),
    [session, needsKey, failure, enter, leave, queries],
  );
  return (
    <Context.Provider value={state}>
      <Fragment key={people}>{children}</Fragment>
    </Context.Provider>
  );
}
