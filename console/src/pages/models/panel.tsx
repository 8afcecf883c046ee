import { Group, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { Awaited } from '../../parts/awaited.js';
import { ChangeButton } from '../../parts/change-button.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { Facts } from '../../parts/facts.js';
import { type Field, FieldsForm, filledIn, type Texts } from '../../parts/fields-form.js';
import { ForeignName } from '../../parts/foreign-text.js';
import { formatBytes, formatCode, formatNumber, formatTime } from '../../parts/format.js';
import { ReadPanel } from '../../parts/read-panel.js';
import { Refusals } from '../../parts/refusals.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { Status } from '../../parts/status.js';
import { TableHead } from '../../parts/table-head.js';
import { useDeletion } from '../../parts/use-deletion.js';
import { useFollowedJob } from '../../parts/use-followed-job.js';

type Model = Schemas['Model'];

const PATH = '/api/admin/v1/projects/{projectId}/models/{modelId}';
const ACTION = '/api/public/models/{modelId}';

/** One model, with its deployment, and what can be done with it. */
export function ModelPanel({ modelId, onClose }: { modelId: string; onClose: () => void }) {
  const { projectId } = useApp();
  const { data: model, error } = useQuery({
    queryKey: ['model', modelId],
    queryFn: () => dataOf(api.GET(PATH, { params: { path: { projectId, modelId } } })),
    refetchInterval: REFRESH_MS,
  });
  return (
    <ReadPanel
      title={model?.name ?? 'Model'}
      request={{
        path: filled(PATH, { projectId, modelId }),
        access: 'administration',
      }}
      data={model}
      error={error}
      onClose={onClose}
    >
      {(model) => (
        <>
          <Facts
            of={{
              Id: modelId,
              State: <Status of={model.state} />,
              Error: model.error?.message,
              Kind: formatCode(model.kind),
              File: (
                <>
                  <ForeignName>{model.fileName}</ForeignName>, {formatBytes(model.fileSize)}
                </>
              ),
              Format: model.facts?.format,
              Architecture: model.facts?.architecture,
              Parameters: model.facts?.parameters && formatNumber(model.facts.parameters),
              Created: formatTime(model.createdAt),
            }}
          />
          <Actions of={model} onGone={onClose} />
          {model.deployment && <Replicas of={model.deployment} modelId={modelId} />}
          {model.deployment && <Deployment of={model.deployment} />}
        </>
      )}
    </ReadPanel>
  );
}

function Actions({ of, onGone }: { of: Model; onGone: () => void }) {
  const { asApp, projectId } = useApp();
  const [isDeploying, setDeploying] = useState(false);
  const { modelId } = of;
  const { start, followed } = useFollowedJob(modelId);
  const params = { path: { modelId } };
  const deletion = useDeletion(
    { model: modelId },
    () => api.DELETE(PATH, { params: { path: { projectId, modelId } } }),
    onGone,
  );
  const isReady = of.state === 'READY_TO_DEPLOY';
  const whyKept = whyNotDeletable(of);
  return (
    <>
      <Group>
        {isReady && of.kind !== 'dataset' && (
          <ChangeButton onClick={() => setDeploying(!isDeploying)}>Deploy</ChangeButton>
        )}
        {of.state === 'DEPLOYED' && (
          <ConfirmButton
            label="Undeploy"
            isBusy={start.isPending}
            onConfirm={() => start.mutate(() => asApp.POST(`${ACTION}/undeploy`, { params }))}
          />
        )}
        {(isReady || of.state === 'DEPLOYED') && (
          <ChangeButton
            variant="default"
            loading={start.isPending}
            onClick={() => start.mutate(() => asApp.POST(`${ACTION}/export`, { params }))}
          >
            Export
          </ChangeButton>
        )}
        <ConfirmButton
          label="Delete"
          warning="The file of the model is deleted, too."
          isBusy={deletion.isPending}
          isDisabled={whyKept !== null}
          onConfirm={() => deletion.mutate()}
        />
      </Group>
      {whyKept !== null && <Text size="sm">{whyKept}</Text>}
      <Refusals of={[start, deletion]} />
      {followed}
      {isReady && isDeploying && <DeployForm of={of} onDone={() => setDeploying(false)} />}
    </>
  );
}

/** Says when a model can be deleted that cannot be deleted now. */
function whyNotDeletable({ state }: Model): string | null {
  if (state === 'READY_TO_DEPLOY' || state === 'FAILED') return null;
  if (state === 'DEPLOYED') return 'The model can be deleted when it is undeployed.';
  return 'The model can be deleted when its job has ended.';
}

type Deployment = Schemas['DeployModelInput'];
type Scaling = NonNullable<Deployment['scalingParameters']>;

const HYPER: readonly Field<keyof Deployment['hyperParameters']>[] = [
  { name: 'temperature', label: 'Temperature', kind: 'number', isRequired: true, hint: 'From 0 to 2' },
  {
    name: 'maxTokens',
    label: 'Tokens of an answer',
    kind: 'number',
    isRequired: true,
    hint: 'At most 512; 0 means unlimited',
  },
  { name: 'topP', label: 'Top P', kind: 'number', isRequired: true, hint: 'From 0 to 1' },
  { name: 'topK', label: 'Top K', kind: 'number', isRequired: true, hint: 'From 1 to 100' },
];
const SCALING: readonly Field<keyof Scaling>[] = [
  { name: 'minReplicas', label: 'Replicas, at least', kind: 'number', isRequired: true },
  { name: 'maxReplicas', label: 'Replicas, at most', kind: 'number' },
  { name: 'maxBatchSize', label: 'Answers at once', kind: 'number', hint: 'Each replica; the default is 4' },
];
const DEVICES: Record<Deployment['deviceType'], true> = {
  'g4dn.xlarge': true,
  'g5.xlarge': true,
  'g5.2xlarge': true,
  'g6e.xlarge': true,
  'g4dn.12xlarge': true,
  'g5.12xlarge': true,
  'g5.48xlarge': true,
  'g4dn.metal': true,
};
const DEVICE: Field<'deviceType'> = {
  name: 'deviceType',
  label: 'Device',
  values: Object.keys(DEVICES),
  hint: 'The local host uses its own device.',
};

const DEFAULTS: Texts = {
  temperature: '0.7',
  maxTokens: '256',
  topP: '0.9',
  topK: '40',
  minReplicas: '1',
  deviceType: DEVICE.values![0]!,
};

function DeployForm({ of: { modelId, name, modelType }, onDone }: { of: Model; onDone: () => void }) {
  const { asApp } = useApp();
  const { follow } = useFollowedJob();
  const deploy = async (texts: Texts) => {
    const body: Deployment = {
      ...filledIn<Deployment>([{ name: 'name', label: 'Name' }, DEVICE], texts),
      hyperParameters: filledIn<Deployment['hyperParameters']>(HYPER, texts),
      scalingParameters: filledIn<Scaling>(SCALING, texts),
    };
    const params = { path: { modelId }, query: { modelType: modelType! } };
    await follow(asApp.POST(`${ACTION}/deploy`, { params, body }));
    // The form is gone when the page shows that the model is being deployed.
    onDone();
  };
  return (
    <FieldsForm
      label="Deploy the model"
      fields={[{ name: 'name', label: 'Name', isRequired: true }, ...HYPER, ...SCALING, DEVICE]}
      shown={{ ...DEFAULTS, name }}
      save={deploy}
      onDone={onDone}
    />
  );
}

/** The deployment with the values that were entered in the form. */
function Deployment({ of }: { of: Schemas['ModelDeployment'] }) {
  const entered: Readonly<Record<string, unknown>> = { ...of.hyperParameters, ...of.scalingParameters };
  const values = [...HYPER, ...SCALING].map(({ name, label }) => [label, String(entered[name])]);
  return (
    <section aria-label="Deployment">
      <Text fw={600} size="sm">
        Deployment
      </Text>
      <Facts
        of={{
          Id: of.deploymentId,
          Version: of.version,
          Name: of.name,
          State: <Status of={of.state} />,
          Host: of.host,
          Device: of.deviceType,
          'Live since': of.liveFrom && formatTime(of.liveFrom),
          Error: of.error?.message,
          'Base model': of.baseModelId,
          'Stop sequences': of.hyperParameters.stopSequence?.join(', '),
          ...(Object.fromEntries(values) as Record<string, string>),
        }}
      />
    </section>
  );
}

function Replicas({ of, modelId }: { of: Schemas['ModelDeployment']; modelId: string }) {
  const { projectId } = useApp();
  const replicas = useQuery({
    queryKey: ['replicas', modelId],
    queryFn: () => dataOf(api.GET(`${PATH}/replicas`, { params: { path: { projectId, modelId } } })),
    refetchInterval: REFRESH_MS,
  });
  const { minReplicas, maxReplicas } = of.scalingParameters;
  return (
    <section aria-label="Replicas">
      <Awaited of={replicas}>
        {(found) => (
          <ReplicaTable
            of={found}
            bounds={minReplicas === maxReplicas ? `${minReplicas}` : `${minReplicas} to ${maxReplicas}`}
          />
        )}
      </Awaited>
    </section>
  );
}

function ReplicaTable({ of, bounds }: { of: readonly Schemas['ModelReplica'][]; bounds: string }) {
  const ready = of.filter(({ state }) => state === 'READY').length;
  return (
    <>
      <Text size="sm">
        Replicas that answer calls: {ready} of {bounds}
      </Text>
      <Table aria-label="Replicas">
        <TableHead titles={['Replica', 'State', 'Host', 'Process', 'Started']} />
        <Table.Tbody>
          {of.map(({ replicaId, state, host, process, startedAt }) => (
            <Table.Tr key={replicaId}>
              <Table.Td className="cell">{replicaId}</Table.Td>
              <Table.Td>
                <Status of={state} />
              </Table.Td>
              <Table.Td>{host}</Table.Td>
              <Table.Td className="cell">{process}</Table.Td>
              <Table.Td>{formatTime(startedAt)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}
