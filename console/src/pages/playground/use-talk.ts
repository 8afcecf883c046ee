import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { bodyOf } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { useSession } from '../../app/session.js';
import { type Environment, ENVIRONMENTS } from '../../parts/environments.js';
import { useFilters } from '../../parts/use-filters.js';
import type { LiveTexts } from '../sessions/turn.js';
import { streamRun, type Tried } from './run-stream.js';
import { useLostAnswer } from './use-lost-answer.js';
import { keyOfActive, type MissingVersion, useTried } from './version.js';

/** The message that is being answered. */
export interface Live extends LiveTexts {
  /** The trace that grows meanwhile. It is null until it is known. */
  traceId: string | null;
}

export interface Talk {
  envName: Environment;
  /** The version that answers instead of the active one. */
  tried: Tried | null;
  /** Is given if the address names a version that does not exist. */
  missing: MissingVersion | null;
  sessionId: string | null;
  live: Live | null;
  error: Error | null;
  /** Returns whether the agent has answered. */
  send: (input: string) => Promise<boolean>;
  /** Cancels the answer. */
  stop: () => void;
  startOver: (envName: Environment, tried?: Tried | null) => void;
}

/** The names under which a conversation stands in the address, so that a reload does not lose it. */
interface TalkNames {
  env: string;
  version: string;
  session: string;
}

/** A conversation with the active agent of an environment, or with a version, whose session begins with the first message. */
export function useTalk({ env, version, session }: TalkNames, initial: Environment): Talk {
  const app = useApp();
  const { asApp, appId } = app;
  const { session: administrator } = useSession();
  const queries = useQueryClient();
  const [filters, change] = useFilters();
  const envName = ENVIRONMENTS.find((each) => each === filters[env]) ?? initial;
  const { tried, missing } = useTried(filters[version]);
  const sessionId = filters[session] ?? null;
  const [live, setLive] = useState<Live | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const present = useRef<AbortController | null>(null);
  const lost = useLostAnswer();
  const stop = () => present.current?.abort();
  useEffect(() => stop, []);

  const begin = async (signal: AbortSignal) => {
    const opened = await bodyOf(
      asApp.POST('/api/v2/apps/{appId}/environments/{envName}/sessions', {
        params: { path: { appId, envName } },
        body: {
          sessionIdentity: [{ type: 'userReference', value: administrator?.name ?? 'admin' }],
          source: 'console',
        },
        signal,
      }),
    );
    // A user who has chosen another environment meanwhile stays there.
    signal.throwIfAborted();
    // The session of a user who has to sign in first has another form. It answers without the tools of that user.
    const { sessionId: begun } = 'session' in opened ? opened.session : opened.sessionInfo;
    change({ [env]: envName, [session]: begun });
    return begun;
  };
  const find = async (runId: string) => {
    const params = { path: { appId, envName, runId } };
    const { traceId } = await bodyOf(asApp.GET('/api/v2/apps/{appId}/environments/{envName}/runs/{runId}', { params }));
    setLive((now) => now && { ...now, traceId });
  };
  const send = async (input: string) => {
    const controller = new AbortController();
    present.current = controller;
    const fail = (thrown: unknown) => {
      if (!controller.signal.aborted) setError(thrown as Error);
    };
    setError(null);
    try {
      const hasArrived = await lost.hasArrived(sessionId, input);
      if (controller.signal.aborted) return false;
      if (hasArrived) {
        lost.forget();
        return true;
      }
    } catch (thrown) {
      fail(thrown);
      return false;
    }
    const earlier = lost.turnsBefore(sessionId, input);
    setLive({ input, answer: '', traceId: null });
    let id = sessionId;
    let refusal: unknown = null;
    try {
      id ??= await begin(controller.signal);
      await streamRun(
        app,
        { envName, sessionId: id, input, tried },
        {
          // Without the trace, the answer is shown alone.
          onRun: (runId) => void find(runId).catch(() => undefined),
          onText: (delta) => setLive((now) => now && { ...now, answer: now.answer + delta }),
        },
        controller.signal,
      );
    } catch (thrown) {
      refusal = thrown;
      fail(thrown);
    }
    // Another version may have answered than the one that was active before.
    void queries.invalidateQueries({ queryKey: keyOfActive(appId, envName) });
    const after = id === null ? null : await lost.readAgain(id);
    setLive(null);
    if (controller.signal.aborted) return false;
    const isAnswered = lost.settle({ input, earlier, refusal }, after);
    if (isAnswered) setError(null);
    return isAnswered;
  };
  const startOver = (next: Environment, nextTried: Tried | null = null) => {
    const chosen = nextTried ? `${nextTried.agentId}:${nextTried.versionId}` : undefined;
    stop();
    change({ [env]: next, [version]: chosen, [session]: undefined });
    setLive(null);
    setError(null);
    lost.forget();
  };
  return { envName, tried, missing, sessionId, live, error, send, stop, startOver };
}
