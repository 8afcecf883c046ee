import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../../api/client.js';
import { filled, type QueryOf } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { Facts } from '../../parts/facts.js';
import { formatCost, formatDuration, formatNumber, formatTime } from '../../parts/format.js';
import { canBeKept } from '../../parts/kept-ids.js';
import { ReadPanel } from '../../parts/read-panel.js';
import { Status } from '../../parts/status.js';
import { traceOptions } from '../traces/requests.js';
import { failureOf } from './failure.js';
import { Origin, TraceSteps } from './origin.js';
import { Payload } from './payload.js';

const PATH = '/api/public/analytics/projects/{projectId}/llm-ledger/{id}';
const WHOLE: QueryOf<typeof PATH> = { dataMode: 'full' };

/** One call of a model, with what was sent and answered. */
export function CallPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { asApp, appId, projectId } = useApp();
  const { data, error } = useQuery({
    queryKey: ['call', projectId, id],
    queryFn: () => bodyOf(asApp.GET(PATH, { params: { path: { projectId, id }, query: WHOLE } })),
  });
  const call = data?.generation;
  const traceId = call?.traceId ?? '';
  const { data: trace } = useQuery({ ...traceOptions(asApp, appId, traceId), enabled: canBeKept(traceId) });
  return (
    <ReadPanel
      title={call ? `Call of ${call.model}` : 'Call'}
      request={{ path: filled(PATH, { projectId, id }), query: WHOLE, access: 'key' }}
      data={call}
      error={error}
      onClose={onClose}
    >
      {(call) => (
        <>
          <Origin traceId={call.traceId} sessionId={call.sessionId} />
          <Facts
            of={{
              Status: <Status of={call.status} />,
              Reason: call.status === 'failed' && failureOf({ ...call, trace }),
              'HTTP status': call.statusCode,
              Time: formatTime(call.timestamp),
              Model: call.model,
              Provider: call.provider,
              Agent: call.agentName,
              Tokens: `${formatNumber(call.inputTokens)} in, ${formatNumber(call.outputTokens)} out`,
              Cost: formatCost(call.cost),
              Latency: formatDuration(call.latencyMs),
            }}
          />
          <Payload of={call} />
          <Facts
            of={{
              Environment: call.environment,
              Source: call.sourceLabel,
              'Subtype of the source': call.sourceSubtypeLabel,
              Channel: call.channel,
              'Type of the channel': call.channelType,
              'Cached tokens': call.cachedTokens > 0 && formatNumber(call.cachedTokens),
              'Reasoning tokens': call.reasoningTokens > 0 && formatNumber(call.reasoningTokens),
              'First token': call.timeToFirstTokenMs !== null && formatDuration(call.timeToFirstTokenMs),
              Streamed: call.streamingUsed ? 'yes' : 'no',
              Session: call.sessionId,
              'Id of the call': call.callId,
              'Id in the ledger': id,
            }}
          />
          {call.traceId && <TraceSteps traceId={call.traceId} />}
        </>
      )}
    </ReadPanel>
  );
}
