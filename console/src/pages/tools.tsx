import { Button } from '@mantine/core';
import { api, pageOf } from '../api/client.js';
import { useApp } from '../app/app-context.js';
import { DockProgress } from '../parts/dock-progress.js';
import { formatTime } from '../parts/format.js';
import { List } from '../parts/list.js';
import { Page } from '../parts/page.js';
import { Status } from '../parts/status.js';
import { useFilters } from '../parts/use-filters.js';
import { useFollowedJob } from '../parts/use-followed-job.js';
import { OpenApiForm } from './open-api-import.js';
import { ImportForm } from './tool-import.js';
import { ToolPanel } from './tool-panel.js';

const PATH = '/api/admin/v1/projects/{projectId}/tools';

export default function ToolsPage() {
  const { projectId } = useApp();
  const [{ tool: opened, create }, change] = useFilters();
  const { followed } = useFollowedJob();
  const close = () => change({ create: undefined });
  return (
    <Page
      title="Tools"
      request={{ path: PATH.replace('{projectId}', projectId), access: 'administration' }}
      actions={
        <>
          <Button size="xs" onClick={() => change({ create: 'documents' })}>
            Import a tool
          </Button>
          <Button size="xs" onClick={() => change({ create: 'openapi' })}>
            Import from OpenAPI
          </Button>
        </>
      }
    >
      {create === 'openapi' && <OpenApiForm onDone={close} />}
      {create !== undefined && create !== 'openapi' && <ImportForm onDone={close} />}
      <DockProgress jobType="TOOLS" />
      {!opened && followed}
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
      {opened && (
        <ToolPanel
          toolId={opened}
          onClose={() => change({ tool: undefined, run: undefined, picture: undefined, job: undefined })}
        />
      )}
    </Page>
  );
}
