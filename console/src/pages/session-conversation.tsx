import { Button, Card, Loader, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf, type Schemas } from '../api/client.js';
import { useApp } from '../app/app-context.js';
import { ErrorBox } from '../parts/error-box.js';
import { Facts } from '../parts/facts.js';
import { formatCost, formatDuration, formatNumber, formatTime } from '../parts/format.js';
import { JsonText } from '../parts/json-text.js';
import { Page } from '../parts/page.js';
import { REFRESH_MS } from '../parts/refresh.js';
import { SidePanel } from '../parts/side-panel.js';
import { Status } from '../parts/status.js';
import { type Step, Waterfall } from '../parts/waterfall.js';

type Turn = Schemas['SessionTrace'];
type Observation = Schemas['SessionObservation'];

const PATH = '/api/public/apps/{appId}/sessions';
const MAX_TURNS = 100;
const INCLUDED = ['traces', 'observations'] as const;

/** One session as the conversation that it was, each turn with its trace. */
export function Conversation({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  const { asApp, appId } = useApp();
  const query = { session_id: sessionId, include: [...INCLUDED], limit: MAX_TURNS };
  const { data, error } = useQuery({
    queryKey: ['session', appId, sessionId],
    queryFn: () => bodyOf(asApp.GET(PATH, { params: { path: { appId }, query } })),
    refetchInterval: REFRESH_MS,
  });
  const [session] = data?.sessions ?? [];
  return (
    <Page
      title={`Session ${sessionId}`}
      request={{
        path: `${PATH.replace('{appId}', appId)}?session_id=${sessionId}&include=traces&include=observations`,
        access: 'key',
      }}
      actions={
        <Button size="xs" variant="default" onClick={onClose}>
          All sessions
        </Button>
      }
    >
      {error && <ErrorBox error={error} />}
      {!session && !error && <Loader aria-label="Loading" />}
      {session && (
        <>
          <Facts
            of={{
              Status: <Status of={session.status} />,
              User: session.user_id,
              Reference: session.session_reference,
              Environment: session.environment,
              Source: session.source,
              Begun: formatTime(session.created_at),
              Turns: formatNumber(session.totals.turns),
              Tokens: formatNumber(session.totals.total_tokens),
              Cost: formatCost(session.totals.cost),
            }}
          />
          {session.traces.length === 0 && <Text>No message was sent in this session yet.</Text>}
          {session.traces.map((turn) => (
            <TurnCard key={turn.trace_id} turn={turn} />
          ))}
        </>
      )}
    </Page>
  );
}

function TurnCard({ turn }: { turn: Turn }) {
  const [opened, setOpened] = useState<string | null>(null);
  const observation = turn.observations.find(({ observation_id }) => observation_id === opened);
  return (
    <Card withBorder component="article" aria-label={`Turn of ${formatTime(turn.timestamp)}`}>
      <Stack gap="xs">
        <Title order={2} size="h5">
          {formatTime(turn.timestamp)}, {formatDuration(turn.latency)}
        </Title>
        <JsonText title="User" value={turn.input} />
        <JsonText title="Agent" value={turn.output} />
        {turn.observations.length > 0 && <Waterfall steps={turn.observations.map(stepOf)} onOpen={setOpened} />}
      </Stack>
      {observation && (
        <SidePanel title={observation.name} onClose={() => setOpened(null)}>
          <Stack>
            <Facts
              of={{
                Type: observation.type,
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

function stepOf({
  observation_id,
  parent_observation_id,
  name,
  type,
  start_time,
  latency,
  token_usage,
}: Observation): Step {
  return {
    id: observation_id,
    parentId: parent_observation_id,
    name,
    type,
    startedAt: start_time,
    latencyMs: latency,
    isFailed: false,
    tokens: type === 'GENERATION' ? token_usage.total : null,
    cost: null,
  };
}
