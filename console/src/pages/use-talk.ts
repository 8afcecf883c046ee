import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../app/app-context.js';
import { useSession } from '../app/session.js';
import type { Environment } from '../parts/environments.js';
import { streamRun, type Tried } from './run-stream.js';

export interface Talk {
  envName: Environment;
  /** The version that answers instead of the active one. */
  tried: Tried | null;
  sessionId: string | null;
  /** The part of the last answer that has arrived. */
  answer: string | null;
  error: Error | null;
  /** Returns whether the agent has answered. */
  send: (input: string) => Promise<boolean>;
  startOver: (envName: Environment, tried?: Tried | null) => void;
}

/** A conversation with the active agent of an environment, or with a version, whose session begins with the first message. */
export function useTalk(initial: Environment): Talk {
  const { asApp, appId } = useApp();
  const { session: administrator } = useSession();
  const queries = useQueryClient();
  const [envName, setEnvironment] = useState(initial);
  const [tried, setTried] = useState<Tried | null>(null);
  const [sessionId, setSessionId] = useState<string | null>(null);
  const [answer, setAnswer] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);

  const begin = async () => {
    const { data } = await asApp.POST('/api/v2/apps/{appId}/environments/{envName}/sessions', {
      params: { path: { appId, envName } },
      body: { sessionIdentity: [{ type: 'userReference', value: administrator?.name ?? 'admin' }], source: 'console' },
    });
    const opened = data as { session: { sessionId: string } };
    setSessionId(opened.session.sessionId);
    return opened.session.sessionId;
  };
  const send = async (input: string) => {
    setError(null);
    setAnswer('');
    try {
      const id = sessionId ?? (await begin());
      const message = { appId, envName, sessionId: id, input, tried };
      await streamRun(message, (delta) => setAnswer((text) => (text ?? '') + delta));
      await queries.invalidateQueries({ queryKey: ['session', appId, id] });
      return true;
    } catch (refusal) {
      setError(refusal as Error);
      return false;
    }
  };
  const startOver = (next: Environment, nextTried: Tried | null = null) => {
    setEnvironment(next);
    setTried(nextTried);
    setSessionId(null);
    setAnswer(null);
    setError(null);
  };
  return { envName, tried, sessionId, answer, error, send, startOver };
}
