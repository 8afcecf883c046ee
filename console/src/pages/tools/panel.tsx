import { Group, NativeSelect, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { ChangeButton } from '../../parts/change-button.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Facts } from '../../parts/facts.js';
import { growing } from '../../parts/growing.js';
import { JsonText } from '../../parts/json-text.js';
import { readJson } from '../../parts/read-json.js';
import { ReadPanel } from '../../parts/read-panel.js';
import { Refusals } from '../../parts/refusals.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { Status } from '../../parts/status.js';
import { useAction } from '../../parts/use-action.js';
import { useDeletion } from '../../parts/use-deletion.js';
import { useFilters, useOpen } from '../../parts/use-filters.js';
import { useFollowedJob } from '../../parts/use-followed-job.js';
import { exampleOf } from './example.js';
import { OpenApiForm } from './open-api-import.js';
import { ToolFlow } from './flow.js';
import { ImportForm } from './import.js';
import { OpenedRun } from './opened-run.js';
import { Runs } from './runs.js';

type Tool = Schemas['Tool'];

const PATH = '/api/public/tools/{toolId}';
const ADMIN_PATH = '/api/admin/v1/projects/{projectId}/tools/{toolId}';

/** One tool, with its flow and its runs, and what can be done with it. */
export function ToolPanel({ toolId, onClose }: { toolId: string; onClose: () => void }) {
  const { asApp } = useApp();
  const { data: tool, error } = useQuery({
    queryKey: ['tool', toolId],
    queryFn: () => bodyOf(asApp.GET(PATH, { params: { path: { toolId } } })),
    refetchInterval: REFRESH_MS,
  });
  return (
    <ReadPanel
      title={tool?.toolName ?? 'Tool'}
      request={{ path: filled(PATH, { toolId }), access: 'key' }}
      data={tool}
      error={error}
      onClose={onClose}
    >
      {(tool) => (
        <>
          <Facts
            of={{
              Id: toolId,
              Status: <Status of={tool.status} />,
              Error: tool.error?.message,
              Description: tool.description,
              Flows: tool.callflows.map(({ name }) => name).join(', '),
              Variables: tool.variables.map(({ name, secret }) => (secret ? `${name} (secret)` : name)).join(', '),
            }}
          />
          <Actions of={tool} onGone={onClose} />
          <TestRun tool={tool} />
          <FlowOrRun of={tool} />
          <JsonText title="Schema of its input" value={tool.inputSchema} />
          <Runs of={tool} />
        </>
      )}
    </ReadPanel>
  );
}

function Actions({ of, onGone }: { of: Tool; onGone: () => void }) {
  const { asApp, projectId } = useApp();
  const { start, followed } = useFollowedJob(of.toolId);
  const [importing, setImporting] = useState<'documents' | 'openapi' | null>(null);
  const [flowId, setFlowId] = useState(of.callflows[0]?.id ?? '');
  const params = { path: { toolId: of.toolId } };
  const remove = () => api.DELETE(ADMIN_PATH, { params: { path: { projectId, toolId: of.toolId } } });
  const deletion = useDeletion({ tool: of.toolId }, remove, onGone);
  const isImported = of.versionId !== null;
  const isDeployed = of.status === 'DEPLOYED';
  const isBusy = start.isPending;
  const deploy = () => asApp.POST(`${PATH}/deploy`, { params, body: { isAsync: true } });
  const exportFlow = () => asApp.POST(`${PATH}/export`, { params: { ...params, query: { flowId } } });
  return (
    <>
      <Group align="end">
        {isImported && of.versionId !== of.deployedVersionId && (
          <ChangeButton loading={isBusy} onClick={() => start.mutate(deploy)}>
            Deploy
          </ChangeButton>
        )}
        {isDeployed && (
          <ConfirmButton
            label="Undeploy"
            isBusy={isBusy}
            onConfirm={() => start.mutate(() => asApp.POST(`${PATH}/undeploy`, { params }))}
          />
        )}
        {isImported && (
          <>
            {of.callflows.length > 1 && (
              <NativeSelect
                size="xs"
                label="Flow to export"
                value={flowId}
                onChange={({ currentTarget }) => setFlowId(currentTarget.value)}
                data={of.callflows.map(({ id, name }) => ({ value: id, label: name }))}
              />
            )}
            <ChangeButton variant="default" loading={isBusy} onClick={() => start.mutate(exportFlow)}>
              Export
            </ChangeButton>
          </>
        )}
        <ChangeButton variant="default" onClick={() => setImporting('documents')}>
          Import a version
        </ChangeButton>
        <ChangeButton variant="default" onClick={() => setImporting('openapi')}>
          Import from OpenAPI
        </ChangeButton>
        <ConfirmButton
          label="Delete"
          warning="The versions and runs of the tool are deleted, too."
          isBusy={deletion.isPending}
          isDisabled={isDeployed}
          onConfirm={() => deletion.mutate()}
        />
      </Group>
      {isDeployed && <Text size="sm">The tool can be deleted when it is undeployed.</Text>}
      <Refusals of={[start, deletion]} />
      {followed}
      {importing === 'documents' && <ImportForm toolId={of.toolId} onDone={() => setImporting(null)} />}
      {importing === 'openapi' && <OpenApiForm toolId={of.toolId} onDone={() => setImporting(null)} />}
    </>
  );
}

/** The opened run with its picture, or else the flow of the present version. */
function FlowOrRun({ of: { toolId, versionId } }: { of: Tool }) {
  const [{ run }] = useFilters();
  if (run) return <OpenedRun key={run} toolId={toolId} runId={run} />;
  return versionId && <ToolFlow key={versionId} toolId={toolId} versionId={versionId} />;
}

function TestRun({ tool: { toolId, status, inputSchema } }: { tool: Tool }) {
  const { asApp } = useApp();
  const [input, setInput] = useState(() => JSON.stringify(exampleOf(inputSchema ?? {}), null, 2));
  const open = useOpen();
  const run = useAction(async () => {
    const body = { input: readJson('The input', input) as Schemas['ExecuteToolInput']['input'] };
    const { data } = await asApp.POST(`${PATH}/execute`, {
      params: { path: { toolId } },
      body,
    });
    open({ run: data!.runId });
  });
  if (status !== 'DEPLOYED') return null;
  return (
    <Stack gap="xs">
      <Textarea
        label="Input of a test run, as JSON"
        {...growing(12)}
        value={input}
        onChange={({ currentTarget }) => setInput(currentTarget.value)}
      />
      <Group>
        <ChangeButton loading={run.isPending} onClick={() => run.mutate()}>
          Run the tool
        </ChangeButton>
      </Group>
      {run.error && <ErrorBox error={run.error} />}
    </Stack>
  );
}
