import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useApp } from '../../app/app-context.js';
import { ErrorBox } from '../../parts/error-box.js';

const PATH = '/api/public/analytics/projects/{projectId}/llm-ledger';
const FORMATS = { CSV: `${PATH}/export.csv`, NDJSON: `${PATH}/export.ndjson` } as const;
type Format = keyof typeof FORMATS;

/** Saves all calls that match the filters of the page as a file, not only those that are shown. */
export function LedgerExport({ query }: { query: () => object }) {
  const { asApp, projectId } = useApp();
  const save = useMutation({
    mutationFn: async (format: Format) => {
      const params = { path: { projectId }, query: query() as never };
      const { data: content } = await asApp.GET(FORMATS[format], { params, parseAs: 'blob' });
      // An empty answer has no content.
      saveFile(content ?? new Blob(), `calls.${format.toLowerCase()}`);
    },
  });
  return (
    <>
      <Group gap="xs">
        {(Object.keys(FORMATS) as Format[]).map((format) => (
          <Button
            key={format}
            size="xs"
            variant="default"
            loading={save.isPending && save.variables === format}
            onClick={() => save.mutate(format)}
          >
            Export as {format}
          </Button>
        ))}
      </Group>
      {save.error && <ErrorBox error={save.error} />}
    </>
  );
}

function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
