import { Stack, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { bodyOf, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { refreshWhileFailing } from '../../api/queries.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { useApp } from '../../app/app-context.js';
import { Awaited } from '../../parts/awaited.js';
import { Facts } from '../../parts/facts.js';
import { formatDuration, formatTime } from '../../parts/format.js';
import { JsonText } from '../../parts/json-text.js';
import { SectionTitle } from '../../parts/section-title.js';
import { Status } from '../../parts/status.js';
import { TableHead } from '../../parts/table-head.js';
import { ToolFlow } from './flow.js';

const PATH = '/api/public/tools/{toolId}/runs/{runId}';

interface OpenedRunProps {
  toolId: string;
  runId: string;
}

/** A run node by node, with what went in and came out. It comes into view when it is opened. */
export function OpenedRun({ toolId, runId }: OpenedRunProps) {
  const { asApp } = useApp();
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    // Some browsers return a value, which React would call as the end of the effect.
    void section.current?.scrollIntoView();
  }, []);
  const path = { toolId, runId };
  const read = useQuery({
    queryKey: ['tool-run', runId],
    queryFn: () => bodyOf(asApp.GET(PATH, { params: { path } })),
    refetchInterval: (query) => (query.state.data?.endedAt ? refreshWhileFailing(query) : REFRESH_MS),
  });
  return (
    <section ref={section} aria-label="Opened run">
      <Stack>
        <SectionTitle title="Run" request={{ path: filled(PATH, path), access: 'key' }} />
        <Awaited of={read}>{(run) => <Run of={run} toolId={toolId} />}</Awaited>
      </Stack>
    </section>
  );
}

function Run({ of: run, toolId }: { of: Schemas['ToolRun']; toolId: string }) {
  return (
    <Stack>
      <Facts
        of={{
          Id: run.runId,
          Status: <Status of={run.status} />,
          Started: formatTime(run.createdAt),
          Duration: run.endedAt && formatDuration(Date.parse(run.endedAt) - Date.parse(run.createdAt)),
          Reason: run.error?.message,
        }}
      />
      <JsonText title="Input" value={run.input} />
      <ToolFlow toolId={toolId} versionId={run.versionId} run={run} />
      <Table aria-label="Nodes of the run">
        <TableHead titles={['Step', 'Node', 'Type', 'Status', 'Duration']} />
        <Table.Tbody>
          {run.nodes.map(({ step, nodeId, type, status, durationMs }) => (
            <Table.Tr key={step}>
              <Table.Td>{step}</Table.Td>
              <Table.Td>{nodeId}</Table.Td>
              <Table.Td>{type}</Table.Td>
              <Table.Td>
                <Status of={status} />
              </Table.Td>
              <Table.Td>{formatDuration(durationMs)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {run.nodes.map(({ step, nodeId, input, output, error: fault }) => (
        <div key={step}>
          <JsonText title={`Input of ${nodeId}`} value={input} />
          <JsonText title={`Output of ${nodeId}`} value={output ?? fault} />
        </div>
      ))}
      <JsonText title="Output" value={run.output} />
    </Stack>
  );
}
