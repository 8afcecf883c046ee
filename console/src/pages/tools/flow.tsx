import { Button, NativeSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { api, dataOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { Awaited } from '../../parts/awaited.js';
import { Drawing } from '../../parts/drawing.js';
import { Facts } from '../../parts/facts.js';
import type { NodeRun } from './flow-picture.js';
import { formatDuration, formatTime } from '../../parts/format.js';
import { JsonText } from '../../parts/json-text.js';
import { Status } from '../../parts/status.js';
import { useFilters } from '../../parts/use-filters.js';
import { waitingNode } from './waiting-node.js';

const PATH = '/api/admin/v1/projects/{projectId}/tools/{toolId}/versions/{versionId}';
/** The address says if the user has hidden the picture. */
const HIDDEN = 'hidden';
const FlowPicture = lazy(() => import('./flow-picture.js'));

type Version = Schemas['ToolVersionFlows'];

interface ToolFlowProps {
  toolId: string;
  versionId: string;
  /** The run whose flow is shown. Without it, the user chooses among the flows of the version. */
  run?: Schemas['ToolRun'];
}

/**
 * The picture of a flow until the user hides it, whose library is loaded when the first one is shown. Of a run, it also
 * shows what went in and out of the chosen node.
 */
export function ToolFlow(of: ToolFlowProps) {
  const [{ picture }, change] = useFilters();
  const isDrawn = picture !== HIDDEN;
  return (
    <>
      <Button
        size="xs"
        w="max-content"
        variant="default"
        aria-expanded={isDrawn}
        onClick={() => change({ picture: isDrawn ? HIDDEN : undefined })}
      >
        {isDrawn ? 'Hide the picture' : `Draw the ${of.run ? 'run' : 'flow'}`}
      </Button>
      {isDrawn && <DrawnFlow {...of} />}
    </>
  );
}

function DrawnFlow({ toolId, versionId, run }: ToolFlowProps) {
  const { projectId } = useApp();
  const version = useQuery({
    queryKey: ['tool-version', versionId],
    queryFn: () => dataOf(api.GET(PATH, { params: { path: { projectId, toolId, versionId } } })),
  });
  return <Awaited of={version}>{({ flows }) => <Flow of={flows} run={run} />}</Awaited>;
}

function Flow({ of: flows, run }: { of: Version['flows']; run: ToolFlowProps['run'] | undefined }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [flowId, setFlowId] = useState(run?.flowId);
  const flow = flows.find((each) => each.flowId === flowId) ?? flows[0]!;
  const waitsAt = run && waitingNode(flow, run);
  return (
    <Stack gap="xs">
      {!run && flows.length > 1 && (
        <NativeSelect
          size="xs"
          label="Flow"
          value={flow.flowId}
          onChange={({ currentTarget }) => setFlowId(currentTarget.value)}
          data={flows.map(({ flowId: value, name }) => ({ value, label: name }))}
        />
      )}
      <Drawing>
        <FlowPicture
          key={flow.flowId}
          flow={flow}
          steps={run?.nodes}
          waitsAt={waitsAt}
          chosen={chosen}
          onChoose={setChosen}
        />
      </Drawing>
      {chosen !== null && <ChosenNode nodeId={chosen} steps={run?.nodes ?? []} isWaiting={chosen === waitsAt} />}
    </Stack>
  );
}

interface ChosenNodeProps {
  nodeId: string;
  steps: readonly NodeRun[];
  isWaiting: boolean;
}

/** A node may have run several times. A screen reader announces what became of it, and not what went in and out. */
function ChosenNode({ nodeId, steps, isWaiting }: ChosenNodeProps) {
  const own = steps.filter((step) => step.nodeId === nodeId);
  return (
    <section aria-label={`Node ${nodeId}`}>
      <div aria-live="polite">
        {isWaiting && <Facts of={{ Node: nodeId, State: 'The run waits here.' }} />}
        {own.length === 0 && !isWaiting && <Facts of={{ Node: nodeId, State: 'It has not run.' }} />}
      </div>
      {own.map(({ step, type, status, startedAt, durationMs, input, output, error }) => (
        <Stack key={step} gap="xs">
          <div aria-live="polite">
            <Facts
              of={{
                Node: nodeId,
                Step: step,
                Type: type,
                State: <Status of={status} />,
                Started: formatTime(startedAt),
                Duration: formatDuration(durationMs),
              }}
            />
          </div>
          <JsonText title="Input of the node" value={input} />
          <JsonText title="Output of the node" value={output ?? error} />
        </Stack>
      ))}
    </section>
  );
}
