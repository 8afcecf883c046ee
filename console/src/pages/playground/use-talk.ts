import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError, bodyOf } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { useSession } from '../../app/session.js';
import { type Environment, ENVIRONMENTS } from '../../parts/environments.js';
import { useFilters } from '../../parts/use-filters.js';
import { keyOfTurns, sessionInCache, type SessionOfTurns } from '../sessions/requests.js';
import type { LiveTexts } from '../sessions/turn.js';
import { idsOf, isAnswered, type LostAnswer, lostAnswerTo } from './lost-answer.js';
import { streamRun, type Tried } from './run-stream.js';
import { keyOfActive } from './version.js';

/** The message that is being answered. */
export interface Live extends LiveTexts {
  /** The trace that grows meanwhile. It is null until it is known. */
  traceId: string | null;
}

export interface Talk {
  envName: Environment;
  /** The version that answers instead of the active one. */
  tried: Tried | null;
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

const NEW_SESSION: SessionOfTurns = { turns: [], isBusy: false };
const STILL_ANSWERING =
  'The agent still answers this message. Wait until the conversation has the answer, or send the message again later.';

/** A conversation with the active agent of an environment, or with a version, whose session begins with the first message. */
export function useTalk({ env, version, session }: TalkNames, initial: Environment): Talk {
  const app = useApp();
  const { asApp, appId } = app;
  const { session: administrator } = useSession();
  const queries = useQueryClient();
  const [filters, change] = useFilters();
  const envName = ENVIRONMENTS.find((each) => each === filters[env]) ?? initial;
  const [agentId, versionId] = filters[version]?.split(':') ?? [];
  const tried = agentId && versionId ? { agentId, versionId } : null;
  const sessionId = filters[session] ?? null;
  const [live, setLive] = useState<Live | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const present = useRef<AbortController | null>(null);
  const lost = useRef<LostAnswer | null>(null);
  const stop = () => present.current?.abort();
  useEffect(() => stop, []);

  const begin = async () => {
    const opened = await bodyOf(
      asApp.POST('/api/v2/apps/{appId}/environments/{envName}/sessions', {
        params: { path: { appId, envName } },
        body: {
          sessionIdentity: [{ type: 'userReference', value: administrator?.name ?? 'admin' }],
          source: 'console',
        },
      }),
    );
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
  /** Reads the turns again. A first reading that began before a turn would be awaited instead, and the turn would vanish. */
  const readAgain = async (id: string): Promise<SessionOfTurns | null> => {
    const queryKey = keyOfTurns(appId, id);
    await queries.cancelQueries({ queryKey });
    await queries.invalidateQueries({ queryKey }, { throwOnError: true });
    return sessionInCache(queries, appId, id);
  };
  /** Looks whether a message that is sent again has been answered, so that it is not sent twice. */
  const hasArrived = async (id: string, message: LostAnswer): Promise<boolean> => {
    const now = await readAgain(id);
    if (now && isAnswered(now, message)) return true;
    if (now?.isBusy) throw new ApiError(0, 'STILL_ANSWERING', STILL_ANSWERING, null);
    return false;
  };
  const send = async (input: string) => {
    const controller = new AbortController();
    present.current = controller;
    setError(null);
    const repeated = lost.current?.input === input ? lost.current : null;
    if (repeated && sessionId !== null) {
      try {
        const isThere = await hasArrived(sessionId, repeated);
        if (controller.signal.aborted) return false;
        if (isThere) {
          lost.current = null;
          return true;
        }
      } catch (thrown) {
        if (!controller.signal.aborted) setError(thrown as Error);
        return false;
      }
    }
    const before = sessionId === null ? NEW_SESSION : sessionInCache(queries, appId, sessionId);
    const earlier = repeated?.earlier ?? (before && idsOf(before));
    setLive({ input, answer: '', traceId: null });
    let id = sessionId;
    let refusal: unknown = null;
    try {
      id ??= await begin();
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
      if (!controller.signal.aborted) setError(thrown as Error);
    }
    // Another version may have answered than the one that was active before.
    void queries.invalidateQueries({ queryKey: keyOfActive(appId, envName) });
    const after = id === null ? null : await readAgain(id).catch(() => null);
    setLive(null);
    if (controller.signal.aborted) return false;
    lost.current = lostAnswerTo(input, refusal, earlier);
    if (!lost.current || !after || !isAnswered(after, lost.current)) return refusal === null;
    lost.current = null;
    setError(null);
    return true;
  };
  const startOver = (next: Environment, nextTried: Tried | null = null) => {
    const chosen = nextTried ? `${nextTried.agentId}:${nextTried.versionId}` : undefined;
    stop();
    change({ [env]: next, [version]: chosen, [session]: undefined });
    setLive(null);
    setError(null);
    lost.current = null;
  };
  return { envName, tried, sessionId, live, error, send, stop, startOver };
}
