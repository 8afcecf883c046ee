import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiError } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { keyOfTurns, sessionInCache, type SessionOfTurns, type Turn } from '../sessions/requests.js';

type TraceIds = ReadonlySet<string>;

/** A message whose answer was lost on the way, and the ids of the turns before it. */
interface LostMessage {
  input: string;
  earlier: TraceIds;
}

/** A message that was sent. It can be found later only if the turns before it were known. */
interface SentMessage {
  input: string;
  earlier: TraceIds | null;
  refusal: unknown;
}

export interface LostAnswer {
  /** Looks whether a message that is sent again has been answered, so that it is not sent twice. */
  hasArrived: (sessionId: string | null, input: string) => Promise<boolean>;
  /** The turns before a message was sent for the first time. It is null where they are not known. */
  turnsBefore: (sessionId: string | null, input: string) => TraceIds | null;
  /** Reads the turns of a session again. It is null where they cannot be read. */
  readAgain: (sessionId: string) => Promise<SessionOfTurns | null>;
  /** Remembers a message that was sent if its answer was lost. Returns whether the agent has answered. */
  settle: (sent: SentMessage, after: SessionOfTurns | null) => boolean;
  forget: () => void;
}

const STILL_ANSWERING =
  'The agent still answers this message. Wait until the conversation has the answer, or send the message again later.';

/** Remembers the message of a conversation whose answer was lost, until its session shows the answer. */
export function useLostAnswer(): LostAnswer {
  const { appId } = useApp();
  const queries = useQueryClient();
  const lost = useRef<LostMessage | null>(null);

  /** A first reading that began before a turn would be awaited instead, and the turn would vanish. */
  const read = async (sessionId: string): Promise<SessionOfTurns | null> => {
    const queryKey = keyOfTurns(appId, sessionId);
    await queries.cancelQueries({ queryKey });
    await queries.invalidateQueries({ queryKey }, { throwOnError: true });
    return sessionInCache(queries, appId, sessionId);
  };

  return {
    hasArrived: async (sessionId, input) => {
      const repeated = lost.current;
      if (sessionId === null || repeated?.input !== input) return false;
      const now = await read(sessionId);
      if (now && isAnswered(now, repeated)) return true;
      if (now?.isBusy) throw new ApiError(0, 'STILL_ANSWERING', STILL_ANSWERING, null);
      return false;
    },
    turnsBefore: (sessionId, input) => {
      if (lost.current?.input === input) return lost.current.earlier;
      if (sessionId === null) return new Set();
      const before = sessionInCache(queries, appId, sessionId);
      return before && new Set(before.turns.map((turn) => turn.trace_id));
    },
    readAgain: (sessionId) => read(sessionId).catch(() => null),
    settle: ({ input, earlier, refusal }, after) => {
      const isOpen = refusal instanceof ApiError && refusal.isOpen;
      lost.current = isOpen && earlier ? { input, earlier } : null;
      if (!lost.current || !after || !isAnswered(after, lost.current)) return refusal === null;
      lost.current = null;
      return true;
    },
    forget: () => {
      lost.current = null;
    },
  };
}

/** Whether the session has the answer. A turn that was cancelled when its stream broke off has none. */
function isAnswered({ turns }: SessionOfTurns, { input, earlier }: LostMessage): boolean {
  return turns.some((turn) => !earlier.has(turn.trace_id) && turn.input === input && hasSucceeded(turn));
}

function hasSucceeded({ observations }: Turn): boolean {
  return observations.some((step) => step.parent_observation_id === null && step.status === 'success');
}
