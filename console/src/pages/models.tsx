import { useQuery } from '@tanstack/react-query';
import { api, dataOf, pageOf } from '../api/client.js';
import { useApp } from '../app/app-context.js';
import { DockProgress } from '../parts/dock-progress.js';
import { Facts } from '../parts/facts.js';
import { formatBytes, formatNumber, formatTime } from '../parts/format.js';
import { JsonText } from '../parts/json-text.js';
import { List } from '../parts/list.js';
import { Page } from '../parts/page.js';
import { ReadPanel } from '../parts/read-panel.js';
import { REFRESH_MS } from '../parts/refresh.js';
import { Status } from '../parts/status.js';
import { Upload } from '../parts/upload.js';
import { useFilters } from '../parts/use-filters.js';

const PATH = '/api/admin/v1/projects/{projectId}/models';

export default function ModelsPage() {
  const { projectId } = useApp();
  const [{ model: opened }, change] = useFilters();
  return (
    <Page title="Models" request={{ path: PATH.replace('{projectId}', projectId), access: 'administration' }}>
      <Upload label="Upload a model" fileContext="modelImport" />
      <DockProgress jobType="MODELS" />
      <List
        label="Models"
        of={['models', projectId]}
        read={(cursor) => pageOf(api.GET(PATH, { params: { path: { projectId }, query: { cursor } } }))}
        idOf={({ modelId }) => modelId}
        onOpen={({ modelId }) => change({ model: modelId })}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Kind', cell: ({ kind }) => kind },
          { title: 'State', cell: ({ state }) => <Status of={state} /> },
          { title: 'Size', cell: ({ fileSize }) => formatBytes(fileSize), isNumber: true },
          { title: 'Changed', cell: ({ changedAt }) => formatTime(changedAt) },
        ]}
        empty={{
          text: 'This project has no model yet. Begin the upload of one:',
          request: {
            method: 'POST',
            path: '/api/public/files/session/start',
            access: 'key',
            body: {
              fileContext: 'modelImport',
              fileName: 'model',
              fileExtension: 'gguf',
              fileSize: 1_000_000,
              totalChunks: 1,
            },
          },
        }}
      />
      {opened && <ModelPanel modelId={opened} onClose={() => change({ model: undefined })} />}
    </Page>
  );
}

function ModelPanel({ modelId, onClose }: { modelId: string; onClose: () => void }) {
  const { projectId } = useApp();
  const { data: model, error } = useQuery({
    queryKey: ['model', modelId],
    queryFn: () => dataOf(api.GET(`${PATH}/{modelId}`, { params: { path: { projectId, modelId } } })),
    refetchInterval: REFRESH_MS,
  });
  return (
    <ReadPanel title={model?.name ?? 'Model'} data={model} error={error} onClose={onClose}>
      {(model) => (
        <>
          <Facts
            of={{
              Id: modelId,
              State: <Status of={model.state} />,
              Error: model.error?.message,
              Kind: model.kind,
              File: `${model.fileName}, ${formatBytes(model.fileSize)}`,
              Format: model.facts?.format,
              Architecture: model.facts?.architecture,
              Parameters: model.facts?.parameters && formatNumber(model.facts.parameters),
              Created: formatTime(model.createdAt),
            }}
          />
          <JsonText title="Deployment" value={model.deployment} />
        </>
      )}
    </ReadPanel>
  );
}
