import { api, pageOf } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { ChangeButton } from '../../parts/change-button.js';
import { DockProgress } from '../../parts/dock-progress.js';
import { uploadToolDocument } from '../../parts/first-requests.js';
import { formatTime } from '../../parts/format.js';
import { List } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { sortedBy, sortsOf, useSorting } from '../../parts/sorting.js';
import { Status } from '../../parts/status.js';
import { useFilters, useOpen } from '../../parts/use-filters.js';
import { useFollowedJob } from '../../parts/use-followed-job.js';
import { OpenApiForm } from './open-api-import.js';
import { ImportForm } from './import.js';
import { ToolPanel } from './panel.js';

const PATH = '/api/admin/v1/projects/{projectId}/tools';
const SORTS = sortsOf<typeof PATH>({ createdAt: 'desc', modifiedAt: 'desc', toolName: 'asc' });

export default function ToolsPage() {
  const { projectId } = useApp();
  const [{ tool: opened, create }, change] = useFilters();
  const open = useOpen();
  const sorting = useSorting(SORTS);
  const { followed } = useFollowedJob();
  const close = () => change({ create: undefined });
  return (
    <Page
      title="Tools"
      request={{ path: filled(PATH, { projectId }), query: sortedBy(sorting), access: 'administration' }}
      actions={
        <>
          <ChangeButton onClick={() => change({ create: 'documents' })}>Import a tool</ChangeButton>
          <ChangeButton onClick={() => change({ create: 'openapi' })}>Import from OpenAPI</ChangeButton>
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
        sorting={sorting}
        read={(cursor) =>
          pageOf(api.GET(PATH, { params: { path: { projectId }, query: { ...sortedBy(sorting), cursor } } }))
        }
        idOf={({ toolId }) => toolId}
        onOpen={({ toolId }) => open({ tool: toolId, run: undefined, picture: undefined })}
        opened={opened}
        columns={[
          { title: 'Name', cell: ({ toolName }) => toolName, sortBy: 'toolName' },
          { title: 'Status', cell: ({ status }) => <Status of={status} /> },
          { title: 'Description', cell: ({ description }) => description },
          { title: 'Changed', cell: ({ modifiedAt }) => formatTime(modifiedAt), kind: 'time', sortBy: 'modifiedAt' },
        ]}
        empty={{
          text: 'This project has no tool yet. Import one above, or begin with the upload of its tool document:',
          request: uploadToolDocument(),
        }}
      />
      {opened && (
        <ToolPanel
          key={opened}
          toolId={opened}
          onClose={() => change({ tool: undefined, run: undefined, picture: undefined })}
        />
      )}
    </Page>
  );
}
