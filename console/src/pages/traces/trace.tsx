import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { Awaited } from '../../parts/awaited.js';
import type { CurlRequest } from '../../parts/copy-curl.js';
import { Facts } from '../../parts/facts.js';
import { formatCost, formatDuration, formatNumber, formatTime } from '../../parts/format.js';
import { NotKept } from '../../parts/not-kept.js';
import { PageLink } from '../../parts/page-link.js';
import { Page } from '../../parts/page.js';
import { Status } from '../../parts/status.js';
import { TRACE, traceOptions } from './requests.js';
import { Steps } from './steps.js';

export function TracePage({ traceId, onClose }: { traceId: string; onClose: () => void }) {
  const { asApp, appId } = useApp();
  const read = useQuery(traceOptions(asApp, appId, traceId));
  const request: CurlRequest = {
    path: filled(TRACE, { appId, traceId }),
    access: 'key',
  };
  return (
    <Page title={`Trace ${traceId}`} request={request} back={{ label: 'All traces', go: onClose }}>
      <Awaited of={read} missing={(error) => <NotKept error={error} noun="trace" />}>
        {(trace) => <Trace of={trace} request={request} />}
      </Awaited>
    </Page>
  );
}

function Trace({ of: trace, request }: { of: Schemas['Trace']; request: CurlRequest }) {
  const { appId } = useApp();
  return (
    <>
      <Facts
        isRow
        of={{
          Name: trace.name,
          Status: <Status of={trace.status} />,
          Session: trace.sessionId && (
            <PageLink to={`/apps/${appId}/sessions`} search={{ session: trace.sessionId }}>
              {trace.sessionId}
            </PageLink>
          ),
          Started: formatTime(trace.startedAt),
          Duration: formatDuration(trace.latencyMs),
          Steps: trace.observationCount,
          ...sumsOf(trace),
        }}
      />
      {!trace.isComplete && <Text>{whatIsCut(trace)}</Text>}
      <Steps of={trace.observations} request={request} />
    </>
  );
}

/** The tokens and the cost of the steps that are shown. */
function sumsOf({ observations }: Schemas['Trace']): Record<string, string> {
  const tokens = observations.reduce((sum, { tokenUsage }) => sum + (tokenUsage?.total ?? 0), 0);
  const cost = observations.reduce((sum, each) => sum + (each.cost ?? 0), 0);
  return { Tokens: formatNumber(tokens), Cost: formatCost(cost) };
}

function whatIsCut({ observations: { length: shown }, observationCount }: Schemas['Trace']): string {
  if (shown < observationCount)
    return `The first ${formatNumber(shown)} of ${formatNumber(observationCount)} steps are shown.`;
  return `All ${formatNumber(shown)} steps are shown. The texts of the later ones are left out, because all are too long.`;
}
