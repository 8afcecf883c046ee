import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { bodyOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { ErrorBox } from '../../parts/error-box.js';

const PATH = '/api/public/analytics/projects/{projectId}/llm-ledger/export-links';
type Asked = Schemas['MakeLlmLedgerExportLinkInput'];
const FORMATS: readonly Asked['format'][] = ['csv', 'ndjson'];

/** The filters of an export. */
export type Exported = Omit<Asked, 'format'>;

/** Saves all calls that match the filters of the page as a file, not only those that are shown. */
export function LedgerExport({ query }: { query: () => Exported }) {
  const { asApp, projectId } = useApp();
  const save = useMutation({
    mutationFn: async (format: Asked['format']) => {
      const body = { format, ...query() };
      const { url } = await bodyOf(asApp.POST(PATH, { params: { path: { projectId } }, body }));
      saveFrom(url);
    },
  });
  return (
    <>
      <Group gap="xs">
        {FORMATS.map((format) => (
          <Button
            key={format}
            size="xs"
            variant="default"
            loading={save.isPending && save.variables === format}
            onClick={() => save.mutate(format)}
          >
            Export as {format.toUpperCase()}
          </Button>
        ))}
        <Text size="xs">A file has all calls that match, the oldest first.</Text>
      </Group>
      {save.error && <ErrorBox error={save.error} />}
    </>
  );
}

/** Lets the browser save what the link opens while it arrives, however large it is. */
function saveFrom(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}
