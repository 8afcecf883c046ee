import { Button, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import type { CurlRequest } from '../../parts/copy-curl.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Facts } from '../../parts/facts.js';
import { formatCost, formatDuration, formatNumber, formatTime } from '../../parts/format.js';
import { JsonText } from '../../parts/json-text.js';
import { Page } from '../../parts/page.js';
import { REFRESH_MS } from '../../parts/refresh.js';
import { SidePanel } from '../../parts/side-panel.js';
import { Status } from '../../parts/status.js';
import { type Step, Waterfall } from '../../parts/waterfall.js';

type Observation = Schemas['TraceObservation'];

const PATH = '/api/public/apps/{appId}/traces/{traceId}';

export function TracePage({ traceId, onClose }: { traceId: string; onClose: () => void }) {
  const { asApp, appId } = useApp();
  const [opened, setOpened] = useState<string | null>(null);
  const { data: trace, error } = useQuery({
    queryKey: ['trace', appId, traceId],
    queryFn: () => bodyOf(asApp.GET(PATH, { params: { path: { appId, traceId } } })),
    refetchInterval: REFRESH_MS,
  });
  const observation = trace?.observations.find(({ observationId }) => observationId === opened);
  const request: CurlRequest = {
    path: filled(PATH, { appId, traceId }),
    access: 'key',
  };
  return (
    <Page
      title={`Trace ${traceId}`}
      request={request}
      actions={
        <Button size="xs" variant="default" onClick={onClose}>
          All traces
        </Button>
      }
    >
      {error && <ErrorBox error={error} />}
      {!trace && !error && <Loader aria-label="Loading" />}
      {trace && (
        <>
          <Facts
            of={{
              Name: trace.name,
              Status: <Status of={trace.status} />,
              Session: trace.sessionId,
              Begun: formatTime(trace.startedAt),
              Duration: formatDuration(trace.latencyMs),
              Steps: trace.observationCount,
            }}
          />
          {!trace.isComplete && <Text>{whatIsCut(trace)}</Text>}
          {trace.observations.length > 0 && <Waterfall steps={trace.observations.map(stepOf)} onOpen={setOpened} />}
        </>
      )}
      {observation && (
        <SidePanel title={observation.name} request={request} onClose={() => setOpened(null)}>
          <Stack>
            <Facts
              of={{
                Status: <Status of={observation.status} />,
                Reason: observation.statusMessage,
                Model: observation.model,
                Provider: observation.provider,
                Begun: formatTime(observation.startedAt),
                Duration: formatDuration(observation.latencyMs),
                Cost: observation.cost !== null && formatCost(observation.cost),
              }}
            />
            <JsonText title="Input" value={observation.input} />
            <JsonText title="Output" value={observation.output} />
            <JsonText title="Attributes" value={observation.attributes} />
          </Stack>
        </SidePanel>
      )}
    </Page>
  );
}

function whatIsCut({ observations: { length: shown }, observationCount }: Schemas['Trace']): string {
  if (shown < observationCount)
    return `The first ${formatNumber(shown)} of ${formatNumber(observationCount)} steps are shown.`;
  return `All ${formatNumber(shown)} steps are shown. The texts of the later ones are left out, because all are too long.`;
}

function stepOf({
  observationId,
  parentObservationId,
  name,
  type,
  startedAt,
  latencyMs,
  status,
  tokenUsage,
  cost,
}: Observation): Step {
  return {
    id: observationId,
    parentId: parentObservationId,
    name,
    type,
    startedAt,
    latencyMs,
    isFailed: status === 'failed',
    tokens: tokenUsage?.total ?? null,
    cost,
  };
}
