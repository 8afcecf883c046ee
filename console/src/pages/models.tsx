import { Stack } from '@mantine/core';
import { useState } from 'react';
import { api, pageOf, type Schemas } from '../api/client.js';
import { useApp } from '../app/app-context.js';
import { Facts } from '../parts/facts.js';
import { formatBytes, formatNumber, formatTime } from '../parts/format.js';
import { JsonText } from '../parts/json-text.js';
import { List } from '../parts/list.js';
import { Page } from '../parts/page.js';
import { SidePanel } from '../parts/side-panel.js';
import { Status } from '../parts/status.js';

type Model = Schemas['Model'];

const PATH = '/api/admin/v1/projects/{projectId}/models';

export default function ModelsPage() {
  const { projectId } = useApp();
  const [opened, setOpened] = useState<Model | null>(null);
  return (
    <Page title="Models" request={{ path: PATH.replace('{projectId}', projectId), access: 'administration' }}>
      <List
        label="Models"
        of={['models', projectId]}
        read={(cursor) => pageOf(api.GET(PATH, { params: { path: { projectId }, query: { cursor } } }))}
        idOf={({ modelId }) => modelId}
        onOpen={setOpened}
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
      {opened && (
        <SidePanel title={opened.name} onClose={() => setOpened(null)}>
          <Stack>
            <Facts
              of={{
                Id: opened.modelId,
                State: <Status of={opened.state} />,
                Error: opened.error?.message,
                Kind: opened.kind,
                File: `${opened.fileName}, ${formatBytes(opened.fileSize)}`,
                Format: opened.facts?.format,
                Architecture: opened.facts?.architecture,
                Parameters: opened.facts?.parameters && formatNumber(opened.facts.parameters),
                Created: formatTime(opened.createdAt),
              }}
            />
            <JsonText title="Deployment" value={opened.deployment} />
          </Stack>
        </SidePanel>
      )}
    </Page>
  );
}
