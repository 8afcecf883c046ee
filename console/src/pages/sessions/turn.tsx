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
  turn: Turn;
  /** The request that answers with the session of the turn. */
  request: CurlRequest;
  /** The message and the part of the answer that has arrived, while the agent answers. */
  live?: LiveTexts | undefined;
  /** Whether the trace stands beside the answer in a wide window. It stands below it otherwise. */
  isBeside?: boolean;
}

/** One message and its answer, with the steps of the trace. */
export function TurnCard({ turn, request, live, isBeside = false }: TurnProps) {
  return (
    <Card withBorder component="article" aria-label={`Turn of ${formatTime(turn.timestamp)}`}>
      <Stack gap="xs">
        <Title order={2} size="h5">
          {formatTime(turn.timestamp)}, {live ? 'answering' : formatDuration(turn.latency)}
        </Title>
        <SimpleGrid cols={{ base: 1, lg: isBeside ? 2 : 1 }}>
          <Stack gap="xs" miw={0}>
            <JsonText title="User" value={live?.input ?? turn.input} />
            <JsonText title="Agent" value={live?.answer ?? turn.output} />
          </Stack>
          <Steps of={turn.observations.map(observationOf)} request={request} />
        </SimpleGrid>
      </Stack>
    </Card>
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
