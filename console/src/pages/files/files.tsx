import { Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf, pageOf, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { Awaited } from '../../parts/awaited.js';
import { ConfirmAction } from '../../parts/confirm-action.js';
import { Facts } from '../../parts/facts.js';
import { formatBytes, formatNumber, formatTime } from '../../parts/format.js';
import { List } from '../../parts/list.js';
import { OpenUploads } from '../../parts/open-uploads.js';
import { Page } from '../../parts/page.js';
import { ReadPanel } from '../../parts/read-panel.js';
import { sortedBy, sortsOf, useSorting } from '../../parts/sorting.js';
import { Upload } from '../../parts/upload.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { useFilters, useOpen } from '../../parts/use-filters.js';

const PATH = '/api/admin/v1/projects/{projectId}/files';
const SORTS = sortsOf<typeof PATH>({ createdAt: 'desc', fileName: 'asc', fileSize: 'desc' });

export default function FilesPage() {
  const { projectId } = useApp();
  const [{ file: opened }, change] = useFilters();
  const open = useOpen();
  const sorting = useSorting(SORTS);
  const remove = (fileId: string) => api.DELETE(`${PATH}/{fileId}`, { params: { path: { projectId, fileId } } });
  return (
    <Page
      title="Files"
      request={{ path: filled(PATH, { projectId }), query: sortedBy(sorting), access: 'administration' }}
    >
      <StorageUse />
      <Upload label="Upload a file" fileContext="bulkImport" />
      <OpenUploads />
      <List
        label="Files"
        of={['files', projectId]}
        sorting={sorting}
        read={(cursor) =>
          pageOf(api.GET(PATH, { params: { path: { projectId }, query: { ...sortedBy(sorting), cursor } } }))
        }
        idOf={({ fileId }) => fileId}
        onOpen={({ fileId }) => open({ file: fileId })}
        opened={opened}
        columns={[
          { title: 'Name', cell: ({ fileName }) => fileName, sortBy: 'fileName' },
          { title: 'Context', cell: ({ fileContext }) => fileContext },
          { title: 'Size', cell: ({ fileSize }) => formatBytes(fileSize), kind: 'number', sortBy: 'fileSize' },
          { title: 'Created', cell: ({ createdAt }) => formatTime(createdAt), kind: 'time', sortBy: 'createdAt' },
          { title: 'Id', cell: ({ fileId }) => fileId, kind: 'id' },
          {
            title: 'Action',
            cell: ({ fileId, fileName }) => <ConfirmAction label="Delete" row={fileName} work={() => remove(fileId)} />,
          },
        ]}
        empty={{
          text: 'This project has no file. Choose one above, or upload one with a request:',
          request: {
            method: 'POST',
            path: '/api/public/files',
            access: 'key',
            form: { file: 'id;filename=orders.csv', fileContext: 'bulkImport' },
          },
        }}
      />
      {opened && <FilePanel key={opened} fileId={opened} onClose={() => change({ file: undefined })} />}
    </Page>
  );
}

function FilePanel({ fileId, onClose }: { fileId: string; onClose: () => void }) {
  const { projectId } = useApp();
  const { data: file, error } = useQuery({
    queryKey: ['file', fileId],
    queryFn: () => dataOf(api.GET(`${PATH}/{fileId}`, { params: { path: { projectId, fileId } } })),
  });
  return (
    <ReadPanel
      title={file?.fileName ?? 'File'}
      request={{ path: filled(`${PATH}/{fileId}`, { projectId, fileId }), access: 'administration' }}
      data={file}
      error={error}
      onClose={onClose}
    >
      {(file) => (
        <Facts
          of={{
            Id: fileId,
            Context: file.fileContext,
            Extension: file.fileExtension,
            Size: formatBytes(file.fileSize),
            Created: formatTime(file.createdAt),
          }}
        />
      )}
    </ReadPanel>
  );
}

function StorageUse() {
  const { projectId } = useApp();
  const storage = useQuery({
    queryKey: ['storage', projectId],
    queryFn: () => dataOf(api.GET('/api/admin/v1/projects/{projectId}/storage', { params: { path: { projectId } } })),
    refetchInterval: REFRESH_MS,
  });
  return <Awaited of={storage}>{(use) => <Use of={use} />}</Awaited>;
}

function Use({ of: { files, fileBytes, heldBytes, limitBytes } }: { of: Schemas['StorageUse'] }) {
  const stored = `${formatNumber(files)} ${files === 1 ? 'file' : 'files'} with ${formatBytes(fileBytes)}`;
  // The held bytes are those of the files, and those that unfinished uploads reserve.
  const used = `${stored}, ${formatBytes(heldBytes - fileBytes)} reserved for uploads`;
  return (
    <div>
      <Text size="sm">{limitBytes === null ? used : `${used}, of ${formatBytes(limitBytes)}`}</Text>
      {limitBytes !== null && (
        <Progress value={(heldBytes / limitBytes) * 100} aria-label="Part of the storage that is used" />
      )}
    </div>
  );
}
