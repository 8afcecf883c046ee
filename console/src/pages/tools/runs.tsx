import { Title } from '@mantine/core';
import { bodyOf, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { uploadToolDocument } from '../../parts/first-requests.js';
import { formatTime } from '../../parts/format.js';
import { List } from '../../parts/list.js';
import { Status } from '../../parts/status.js';
import { useFilters, useOpen } from '../../parts/use-filters.js';
import { exampleOf } from './example.js';

const PATH = '/api/public/tools/{toolId}';

/** The runs of a tool. The opened one stands in the address, and is shown above them. */
export function Runs({ of: tool }: { of: Schemas['Tool'] }) {
  const { toolId } = tool;
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
        opened={opened}
        columns={[
          { title: 'Run', cell: ({ runId }) => runId, kind: 'id' },
          { title: 'Status', cell: ({ status }) => <Status of={status} /> },
          { title: 'Started', cell: ({ createdAt }) => formatTime(createdAt), kind: 'time' },
        ]}
        empty={withoutRuns(tool)}
      />
    </>
  );
}

/** Says what to do next where a tool has not run. */
function withoutRuns({ toolId, status, versionId, inputSchema }: Schemas['Tool']) {
  if (status === 'DEPLOYED') {
    return {
      text: 'This tool has not run yet. Run it above, or with a request:',
      request: {
        method: 'POST',
        path: filled(`${PATH}/execute`, { toolId }),
        access: 'key',
        body: { input: exampleOf(inputSchema ?? {}) },
      },
    } as const;
  }
  if (versionId === null) {
    const text = 'This tool has not run yet, because it has no version. Import one, and begin with its tool document:';
    return { text, request: uploadToolDocument() };
  }
  return {
    text: 'This tool has not run yet, because only a deployed tool runs. Deploy it above, or with a request:',
    request: {
      method: 'POST',
      path: filled(`${PATH}/deploy`, { toolId }),
      access: 'key',
      body: { isAsync: true },
    },
  } as const;
}
