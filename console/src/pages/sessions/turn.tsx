import { Card, SimpleGrid, Stack, Title } from '@mantine/core';
import type { CurlRequest } from '../../parts/copy-curl.js';
import { formatDuration, formatNumber, formatTime } from '../../parts/format.js';
import { Further } from '../../parts/further.js';
import { JsonText } from '../../parts/json-text.js';
import { Steps } from '../traces/steps.js';
import { observationOf, type Turn, type UnreadTurns } from './requests.js';

export interface LiveTexts {
  input: string;
  answer: string;
}

interface TurnProps {
  /** The number of the turn in its session, from 1. */
  number: number;
  turn: Turn;
  /** The request that answers with the session of the turn. */
  request: CurlRequest;
  /** The message and the part of the answer that has arrived, while the agent answers. */
  live?: LiveTexts | undefined;
  /** Whether the trace stands beside the answer where the card has room for both. It stands below it otherwise. */
  isBeside?: boolean;
}

/** The width from which a card has room for the messages and the steps beside each other. */
const ROOM_FOR_BOTH = '40rem';

/** One message and its answer, with the steps of the trace. */
export function TurnCard({ number, turn, request, live, isBeside = false }: TurnProps) {
  return (
    <Card withBorder component="article" aria-label={`Turn ${number}`}>
      <Stack gap="xs">
        <Title order={2} size="h5">
          Turn {number}: {formatTime(turn.timestamp)}, {live ? 'answering' : formatDuration(turn.latency)}
        </Title>
        <SimpleGrid type="container" cols={isBeside ? { base: 1, [ROOM_FOR_BOTH]: 2 } : 1}>
          <Stack gap="xs" miw={0}>
            <Messages of={number} input={live?.input ?? turn.input} answer={live?.answer ?? turn.output} />
          </Stack>
          <Steps of={turn.observations.map(observationOf)} request={request} />
        </SimpleGrid>
      </Stack>
    </Card>
  );
}

interface MessagesProps {
  /** The number of the turn. */
  of: number;
  input: string | null;
  answer: string | null;
}

/** The messages of a turn, whose names tell them from those of other turns. */
export function Messages({ of: number, input, answer }: MessagesProps) {
  return (
    <>
      <JsonText title="User" of={`turn ${number}`} value={input} />
      <JsonText title="Agent" of={`turn ${number}`} value={answer} />
    </>
  );
}

/** Says how many turns are not shown, and reads more of them. */
export function FurtherTurns({ of: { count, isReading, read } }: { of: UnreadTurns }) {
  if (count === 0) return null;
  return (
    <Further
      text={`${formatNumber(count)} later turns are not shown`}
      label="Show more turns"
      hasMore
      isReading={isReading}
      onRead={read}
    />
  );
}
