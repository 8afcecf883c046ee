import { Button, Stack, Table, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { refreshWhileFailing } from '../../api/queries.js';
import { useApp } from '../../app/app-context.js';
import { Awaited } from '../../parts/awaited.js';
import { Facts } from '../../parts/facts.js';
import { formatDuration, formatTime } from '../../parts/format.js';
import { JsonText } from '../../parts/json-text.js';
import { List } from '../../parts/list.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { Status } from '../../parts/status.js';
import { TableHead } from '../../parts/table-head.js';
import { useFilters, useOpen } from '../../parts/use-filters.js';
import { exampleOf } from './example.js';
import { ToolFlow } from './flow.js';

const PATH = '/api/public/tools/{toolId}';

/** The runs of a tool. The opened one stands in the address. */
export function Runs({ of: { toolId, status, inputSchema } }: { of: Schemas['Tool'] }) {
  const { asApp } = useApp();
  const [{ run: opened }, change] = useFilters();
  const open = useOpen();
  return (
    <>
      <Title order={2} size="h5">
        Runs
      </Title>
      <List
        label="Runs"
        of={['tool-runs', toolId]}
        read={async (cursor) => {
          const params = { path: { toolId }, query: { cursor } };
          const { runs, nextCursor } = await bodyOf(asApp.GET(`${PATH}/runs`, { params }));
          return { rows: runs, next: nextCursor };
        }}
        idOf={({ runId }) => runId}
        onOpen={({ runId }) => (opened === runId ? change({ run: undefined }) : open({ run: runId }))}
        columns={[
          { title: 'Run', cell: ({ runId }) => runId, kind: 'id' },
          { title: 'Status', cell: ({ status }) => <Status of={status} /> },
          { title: 'Started', cell: ({ createdAt }) => formatTime(createdAt), kind: 'time' },
        ]}
        empty={
          status === 'DEPLOYED'
            ? {
                text: 'This tool has not run yet. Run it above, or with a request:',
                request: {
                  method: 'POST',
                  path: filled(`${PATH}/execute`, { toolId }),
                  access: 'key',
                  body: { input: exampleOf(inputSchema ?? {}) },
                },
              }
            : {
                text: 'This tool has not run yet, because only a deployed tool runs. Deploy it above, or with a request:',
                request: {
                  method: 'POST',
                  path: filled(`${PATH}/deploy`, { toolId }),
                  access: 'key',
                  body: { isAsync: true },
                },
              }
        }
      />
      {opened && <RunNodes key={opened} toolId={toolId} runId={opened} />}
    </>
  );
}

/** A run node by node, with what went in and came out. The picture is drawn on request. */
function RunNodes({ toolId, runId }: { toolId: string; runId: string }) {
  const { asApp } = useApp();
  const read = useQuery({
    queryKey: ['tool-run', runId],
    queryFn: () => bodyOf(asApp.GET(`${PATH}/runs/{runId}`, { params: { path: { toolId, runId } } })),
    refetchInterval: (query) => (query.state.data?.endedAt ? refreshWhileFailing(query) : REFRESH_MS),
  });
  return <Awaited of={read}>{(run) => <Run of={run} toolId={toolId} />}</Awaited>;
}

function Run({ of: run, toolId }: { of: Schemas['ToolRun']; toolId: string }) {
  const [isDrawn, setDrawn] = useState(false);
  return (
    <Stack>
      <Facts
        of={{
          Status: <Status of={run.status} />,
          Started: formatTime(run.createdAt),
          Duration: run.endedAt && formatDuration(Date.parse(run.endedAt) - Date.parse(run.createdAt)),
          Reason: run.error?.message,
        }}
      />
      <JsonText title="Input" value={run.input} />
      <Button size="xs" w="max-content" aria-expanded={isDrawn} onClick={() => setDrawn(!isDrawn)}>
        {isDrawn ? 'Hide the picture of the run' : 'Draw the run'}
      </Button>
      {isDrawn && <ToolFlow toolId={toolId} versionId={run.versionId} run={run} />}
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
