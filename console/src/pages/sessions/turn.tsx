import { Card, SimpleGrid, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../api/client.js';
import type { CurlRequest } from '../../parts/copy-curl.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Facts } from '../../parts/facts.js';
import { formatDuration, formatNumber, formatTime } from '../../parts/format.js';
import { Further } from '../../parts/further.js';
import { JsonText } from '../../parts/json-text.js';
import { SidePanel } from '../../parts/side-panel.js';
import { type Step, Waterfall } from '../../parts/waterfall.js';
import { type Turn, type UnreadTurns, useSteps } from './reading.js';

type Observation = Schemas['SessionObservation'];
type KnownStep = Pick<Schemas['Trace']['observations'][number], 'cost' | 'status'>;

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
  const [opened, setOpened] = useState<string | null>(null);
  const { steps: known, error } = useSteps(turn);
  const observation = turn.observations.find(({ observation_id }) => observation_id === opened);
  const steps = turn.observations.map((each) => stepOf(each, known?.get(each.observation_id)));
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
          {error && <ErrorBox error={error} />}
          {steps.length > 0 && <Waterfall steps={steps} onOpen={setOpened} />}
        </SimpleGrid>
      </Stack>
      {observation && (
        <SidePanel title={observation.name} request={request} onClose={() => setOpened(null)}>
          <Stack>
            <Facts
              of={{
                Type: observation.type,
                Outcome: known?.get(observation.observation_id)?.status,
                Model: observation.model,
                Provider: observation.provider,
                Begun: formatTime(observation.start_time),
                Tokens: `${formatNumber(observation.token_usage.input)} in, ${formatNumber(observation.token_usage.output)} out`,
              }}
            />
            <JsonText title="Input" value={observation.input} />
            <JsonText title="Output" value={observation.output} />
          </Stack>
        </SidePanel>
      )}
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

function stepOf(
  { observation_id, parent_observation_id, name, type, start_time, latency, token_usage }: Observation,
  known: KnownStep | undefined,
): Step {
  return {
    id: observation_id,
    parentId: parent_observation_id,
    name,
    type,
    startedAt: start_time,
    latencyMs: latency,
    isFailed: known?.status === 'failed',
    tokens: type === 'GENERATION' ? token_usage.total : null,
    cost: known?.cost ?? null,
  };
}
