import { Stack } from '@mantine/core';
import type { Schemas } from '../../api/client.js';
import type { CurlRequest } from '../../parts/copy-curl.js';
import { Facts } from '../../parts/facts.js';
import { formatCode, formatCost, formatDuration, formatNumber, formatTime } from '../../parts/format.js';
import { JsonText } from '../../parts/json-text.js';
import { SidePanel } from '../../parts/side-panel.js';
import { Status } from '../../parts/status.js';
import { useFilters, useOpen } from '../../parts/use-filters.js';
import { type Step, Waterfall } from '../../parts/waterfall.js';

type Full = Schemas['TraceObservation'];

/** An observation, of which some routes leave out the reason of a failure and the attributes. */
export type Observation = Omit<Full, 'otelSpanId' | 'endedAt' | 'statusMessage' | 'attributes'> &
  Partial<Pick<Full, 'statusMessage' | 'attributes'>>;

interface StepsProps {
  of: readonly Observation[];
  /** The request that answers with the observations. */
  request: CurlRequest;
}

/** The steps of a trace as a tree. The opened one stands in the address and is shown beside it. */
export function Steps({ of, request }: StepsProps) {
  const [{ step }, change] = useFilters();
  const open = useOpen();
  const opened = of.find(({ observationId }) => observationId === step);
  if (of.length === 0) return null;
  return (
    <>
      <Waterfall steps={of.map(stepOf)} onOpen={(id) => open({ step: id })} opened={step} />
      {opened && <StepPanel of={opened} request={request} onClose={() => change({ step: undefined })} />}
    </>
  );
}

interface StepPanelProps {
  of: Observation;
  request: CurlRequest;
  onClose: () => void;
}

function StepPanel({ of, request, onClose }: StepPanelProps) {
  const { tokenUsage: tokens, cost } = of;
  return (
    <SidePanel title={of.name} request={request} onClose={onClose}>
      <Stack>
        <Facts
          of={{
            Type: formatCode(of.type),
            Status: <Status of={of.status} />,
            Reason: of.statusMessage,
            Model: of.model,
            Provider: of.provider,
            Started: formatTime(of.startedAt),
            Duration: formatDuration(of.latencyMs),
            Tokens: tokens && `${formatNumber(tokens.input)} in, ${formatNumber(tokens.output)} out`,
            Cost: cost === null ? null : formatCost(cost),
          }}
        />
        <JsonText title="Input" value={of.input} />
        <JsonText title="Output" value={of.output} />
        <JsonText title="Attributes" value={of.attributes} />
      </Stack>
    </SidePanel>
  );
}

/** Gives an observation the form that the waterfall shows. */
export function stepOf({ observationId, parentObservationId, status, tokenUsage, ...rest }: Observation): Step {
  const { name, type, startedAt, latencyMs, cost } = rest;
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
