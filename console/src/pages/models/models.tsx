import { Group, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { api, pageOf } from '../../api/client.js';
import { filled, type QueryOf } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { DockProgress } from '../../parts/dock-progress.js';
import { FilterBar } from '../../parts/filter-bar.js';
import { formatBytes, formatCode, formatTime } from '../../parts/format.js';
import { List } from '../../parts/list.js';
import { OpenUploads } from '../../parts/open-uploads.js';
import { Page } from '../../parts/page.js';
import { sortedBy, sortsOf, useSorting } from '../../parts/sorting.js';
import { Status } from '../../parts/status.js';
import { Upload } from '../../parts/upload.js';
import { chosenFrom, type Filter, useFilters, useOpen } from '../../parts/use-filters.js';
import { useFollowedJob } from '../../parts/use-followed-job.js';
import { ModelPanel } from './panel.js';

const PATH = '/api/admin/v1/projects/{projectId}/models';
const SORTS = sortsOf<typeof PATH>({ createdAt: 'desc', changedAt: 'desc', name: 'asc', fileSize: 'desc' });
const FILTERS: readonly Filter<QueryOf<typeof PATH>>[] = [
  { name: 'kind', label: 'Kind', values: ['model', 'adapter', 'dataset'] },
  {
    name: 'state',
    label: 'State',
    values: ['IMPORTING', 'READY_TO_DEPLOY', 'FAILED', 'DEPLOYING', 'DEPLOYED'],
  },
];
const KINDS = {
  Model: { fileContext: 'model' },
  Adapter: { fileContext: 'model', isAdapter: true },
  Dataset: { fileContext: 'dataset' },
};

export default function ModelsPage() {
  const { projectId } = useApp();
  const [filters, change] = useFilters();
  const { model: opened } = filters;
  const open = useOpen();
  const sorting = useSorting(SORTS);
  const { followed } = useFollowedJob();
  const chosen = chosenFrom(filters, FILTERS);
  const query = { ...chosen, ...sortedBy(sorting) };
  return (
    <Page title="Models" request={{ path: filled(PATH, { projectId }), query, access: 'administration' }}>
      <NewModel />
      <OpenUploads areModels />
      {!opened && followed}
      <DockProgress jobType="MODELS" />
      <FilterBar filters={FILTERS} />
      <List
        label="Models"
        of={['models', projectId, chosen]}
        sorting={sorting}
        read={(cursor) => pageOf(api.GET(PATH, { params: { path: { projectId }, query: { ...query, cursor } } }))}
        idOf={({ modelId }) => modelId}
        onOpen={({ modelId }) => open({ model: modelId })}
        opened={opened}
        columns={[
          { title: 'Name', cell: ({ name }) => name, sortBy: 'name' },
          { title: 'Kind', cell: ({ kind }) => formatCode(kind) },
          { title: 'State', cell: ({ state }) => <Status of={state} /> },
          { title: 'Size', cell: ({ fileSize }) => formatBytes(fileSize), kind: 'number', sortBy: 'fileSize' },
          { title: 'Changed', cell: ({ changedAt }) => formatTime(changedAt), kind: 'time', sortBy: 'changedAt' },
        ]}
        chosen={chosen}
        empty={{
          text: 'This project has no model yet. Begin the upload of one:',
          request: {
            method: 'POST',
            path: '/api/public/files/session/start',
            access: 'key',
            body: {
              fileContext: 'model',
              fileName: 'model',
              fileExtension: 'gguf',
              fileSize: 1_000_000,
              totalChunks: 1,
            },
          },
        }}
      />
      {opened && <ModelPanel key={opened} modelId={opened} onClose={() => change({ model: undefined })} />}
    </Page>
  );
}

function NewModel() {
  const [kind, setKind] = useState<keyof typeof KINDS>('Model');
  return (
    <Group align="end">
      <NativeSelect
        size="xs"
        label="Kind of file"
        value={kind}
        onChange={({ currentTarget }) => setKind(currentTarget.value as keyof typeof KINDS)}
        data={Object.keys(KINDS)}
      />
      <Upload label="Upload and import" {...KINDS[kind]} />
    </Group>
  );
}
