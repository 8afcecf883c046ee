import { Card, Stack } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useApp } from '../../app/app-context.js';
import { ErrorBox } from '../../parts/error-box.js';
import { REFRESH_MS, REFRESH_PROGRESS_MS } from '../../api/refresh.js';
import { requestFor, useTurns } from '../sessions/requests.js';
import { Messages, TurnCard } from '../sessions/turn.js';
import type { Live, Talk } from './use-talk.js';

/** The turns of a conversation, and what is being answered. Screen readers read an answer when it is complete. */
export function TalkTurns({ talk: { sessionId, live } }: { talk: Talk }) {
  return (
    <div aria-live="polite" aria-busy={live !== null}>
      {sessionId === null && live && <Answering number={1} live={live} />}
      {sessionId !== null && <SessionTurns sessionId={sessionId} live={live} />}
    </div>
  );
}

interface SessionTurnsProps {
  sessionId: string;
  live: Live | null;
}

function SessionTurns({ sessionId, live }: SessionTurnsProps) {
  const { appId } = useApp();
  const { turns, error, further } = useTurns(sessionId, live ? REFRESH_PROGRESS_MS : REFRESH_MS);
  const request = requestFor(appId, sessionId);
  const end = useRef<HTMLDivElement>(null);
  const isListed = turns.some(({ trace_id }) => trace_id === live?.traceId);
  // The newest turn is among the further ones of a long conversation.
  const { count, isReading, read } = further;
  useEffect(() => {
    if (count > 0 && !isReading && !error) read();
  });
  useEffect(() => {
    // Some browsers return a value, which React would call as the end of the effect.
    void end.current?.scrollIntoView({ block: 'nearest' });
  }, [turns.length, live?.answer, isListed]);
  return (
    <Stack>
      {error && <ErrorBox error={error} />}
      {turns.map((turn, at) => (
        <TurnCard
          key={turn.trace_id}
          number={at + 1}
          turn={turn}
          request={request}
          live={turn.trace_id === live?.traceId ? live : undefined}
          isBeside
        />
      ))}
      {live && !isListed && <Answering number={turns.length + 1} live={live} />}
      <div ref={end} style={{ scrollMarginBottom: '12rem' }} />
    </Stack>
  );
}

function Answering({ number, live: { input, answer } }: { number: number; live: Live }) {
  return (
    <Card withBorder component="article" aria-label={`Turn ${number}`}>
      <Messages of={number} input={input} answer={answer} />
    </Card>
  );
}
