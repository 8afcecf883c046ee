import { Button, Group, Stack, Table, Textarea, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf, pageOf, type Schemas } from '../api/client.js';
import { useApp } from '../app/app-context.js';
import { ErrorBox } from '../parts/error-box.js';
import { Facts } from '../parts/facts.js';
import { formatDuration, formatTime } from '../parts/format.js';
import { JsonText } from '../parts/json-text.js';
import { List } from '../parts/list.js';
import { Page } from '../parts/page.js';
import { readJson } from '../parts/read-json.js';
import { ReadPanel } from '../parts/read-panel.js';
import { Status } from '../parts/status.js';
import { useAction } from '../parts/use-action.js';
import { useFilters } from '../parts/use-filters.js';

type Tool = Schemas['Tool'];

const PATH = '/api/admin/v1/projects/{projectId}/tools';

export default function ToolsPage() {
  const { projectId } = useApp();
  const [filters, change] = useFilters();
  return (
    <Page title="Tools" request={{ path: PATH.replace('{projectId}', projectId), access: 'administration' }}>
      <List
        label="Tools"
        of={['tools', projectId]}
        read={(cursor) => pageOf(api.GET(PATH, { params: { path: { projectId }, query: { cursor } } }))}
        idOf={({ toolId }) => toolId}
        onOpen={({ toolId }) => change({ tool: toolId })}
        columns={[
          { title: 'Name', cell: ({ toolName }) => toolName },
          { title: 'Status', cell: ({ status }) => <Status of={status} /> },
          { title: 'Description', cell: ({ description }) => description },
          { title: 'Changed', cell: ({ modifiedAt }) => formatTime(modifiedAt) },
        ]}
        empty={{
          text: 'This project has no tool yet. Upload its documents, then import them:',
          request: {
            method: 'POST',
            path: '/api/public/tools/import',
            access: 'key',
            body: { toolName: 'Weather', toolDataFileId: 'f-…', flowDataFileId: 'f-…' },
          },
        }}
      />
      {filters.tool && <ToolPanel toolId={filters.tool} onClose={() => change({ tool: undefined })} />}
    </Page>
  );
}

function ToolPanel({ toolId, onClose }: { toolId: string; onClose: () => void }) {
  const { asApp } = useApp();
  const { data: tool, error } = useQuery({
    queryKey: ['tool', toolId],
    queryFn: () => bodyOf(asApp.GET('/api/public/tools/{toolId}', { params: { path: { toolId } } })),
  });
  return (
    <ReadPanel title={tool?.toolName ?? 'Tool'} data={tool} error={error} onClose={onClose}>
      {(tool) => (
        <>
          <Facts
            of={{
              Id: toolId,
              Status: <Status of={tool.status} />,
              Description: tool.description,
              Flows: tool.callflows.map(({ name }) => name).join(', '),
              Variables: tool.variables.map(({ name, secret }) => (secret ? `${name} (secret)` : name)).join(', '),
            }}
          />
          <TestRun tool={tool} />
          <JsonText title="Schema of its input" value={tool.inputSchema} />
          <Runs toolId={toolId} />
        </>
      )}
    </ReadPanel>
  );
}

function TestRun({ tool: { toolId, status } }: { tool: Tool }) {
  const { asApp } = useApp();
  const [input, setInput] = useState('{}');
  const run = useAction(async () => {
    const body = { input: readJson('The input', input) };
    const { data } = await asApp.POST('/api/public/tools/{toolId}/execute', {
      params: { path: { toolId } },
      body: body as never,
    });
    return data;
  });
  if (status !== 'DEPLOYED') return null;
  return (
    <Stack gap="xs">
      <Textarea
        label="Input of a test run, as JSON"
        autosize
        maxRows={12}
        value={input}
        onChange={({ currentTarget }) => setInput(currentTarget.value)}
      />
      <Group>
        <Button size="xs" loading={run.isPending} onClick={() => run.mutate()}>
          Run the tool
        </Button>
      </Group>
      {run.error && <ErrorBox error={run.error} />}
      <JsonText title="Outcome" value={run.data} />
    </Stack>
  );
}

function Runs({ toolId }: { toolId: string }) {
  const { asApp } = useApp();
  const [opened, setOpened] = useState<string | null>(null);
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
          const { runs, nextCursor } = await bodyOf(asApp.GET('/api/public/tools/{toolId}/runs', { params }));
          return { rows: runs, next: nextCursor };
        }}
        idOf={({ runId }) => runId}
        onOpen={({ runId }) => setOpened(opened === runId ? null : runId)}
        columns={[
          { title: 'Run', cell: ({ runId }) => runId },
          { title: 'Status', cell: ({ status }) => <Status of={status} /> },
          { title: 'Begun', cell: ({ createdAt }) => formatTime(createdAt) },
        ]}
        empty={{ text: 'This tool has not run yet.' }}
      />
      {opened && <RunNodes toolId={toolId} runId={opened} />}
    </>
  );
}

/** A run node by node, with what went in and came out. */
function RunNodes({ toolId, runId }: { toolId: string; runId: string }) {
  const { asApp } = useApp();
  const { data: run, error } = useQuery({
    queryKey: ['tool-run', runId],
    queryFn: () =>
      bodyOf(asApp.GET('/api/public/tools/{toolId}/runs/{runId}', { params: { path: { toolId, runId } } })),
  });
  if (error) return <ErrorBox error={error} />;
  if (!run) return null;
  return (
    <Stack>
      <JsonText title="Input" value={run.input} />
      <Table aria-label="Nodes of the run">
        <Table.Thead>
          <Table.Tr>
            {['Step', 'Node', 'Type', 'Status', 'Duration'].map((title) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
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
      <JsonText title="Output" value={run.output ?? run.error} />
    </Stack>
  );
}
