import { Button, Loader, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { bodyOf, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import type { CurlRequest } from '../../parts/copy-curl.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Facts } from '../../parts/facts.js';
import { formatDuration, formatNumber, formatTime } from '../../parts/format.js';
import { NotKept } from '../../parts/not-kept.js';
import { Page } from '../../parts/page.js';
import { REFRESH_MS } from '../../parts/refresh.js';
import { Status } from '../../parts/status.js';
import { Steps } from './steps.js';

const PATH = '/api/public/apps/{appId}/traces/{traceId}';

export function TracePage({ traceId, onClose }: { traceId: string; onClose: () => void }) {
  const { asApp, appId } = useApp();
  const { data: trace, error } = useQuery({
    queryKey: ['trace', appId, traceId],
    queryFn: () => bodyOf(asApp.GET(PATH, { params: { path: { appId, traceId } } })),
    refetchInterval: REFRESH_MS,
  });
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
      {error && !trace && <NotKept error={error} noun="trace" code="TRACE_NOT_FOUND" />}
      {error && trace && <ErrorBox error={error} />}
      {!trace && !error && <Loader aria-label="Loading" />}
      {trace && (
        <>
          <Facts
            of={{
              Name: trace.name,
              Status: <Status of={trace.status} />,
              Session: trace.sessionId,
              Started: formatTime(trace.startedAt),
              Duration: formatDuration(trace.latencyMs),
              Steps: trace.observationCount,
            }}
          />
          {!trace.isComplete && <Text>{whatIsCut(trace)}</Text>}
          <Steps of={trace.observations} request={request} />
        </>
      )}
    </Page>
  );
}

function whatIsCut({ observations: { length: shown }, observationCount }: Schemas['Trace']): string {
  if (shown < observationCount)
    return `The first ${formatNumber(shown)} of ${formatNumber(observationCount)} steps are shown.`;
  return `All ${formatNumber(shown)} steps are shown. The texts of the later ones are left out, because all are too long.`;
}
