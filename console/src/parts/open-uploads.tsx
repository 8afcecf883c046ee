import { Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api/client.js';
import { useApp } from '../app/app-context.js';
import { ChangeButton } from './change-button.js';
import { ConfirmButton } from './confirm-button.js';
import { ErrorBox } from './error-box.js';
import { ForeignName } from './foreign-text.js';
import { formatBytes, formatTime } from './format.js';
import { REFRESH_MS } from '../api/refresh.js';
import { discardUpload, isContinuable, readOpenUploads, useSending } from './uploads.js';
import { useAction } from './use-action.js';
import { useFilters } from './use-filters.js';

interface OpenUploadsProps {
  /** Whether only uploads are shown of which models are made. */
  areModels?: boolean;
}

/** The uploads that are not complete, except the one that the page shows above. It shows nothing if there are none. */
export function OpenUploads({ areModels = false }: OpenUploadsProps) {
  const app = useApp();
  const [{ upload: inAddress }] = useFilters();
  const shown = useSending(app)?.sessionId ?? inAddress;
  const { data, error } = useQuery({
    // The list is read again with the use of the storage, because discarding an upload changes both.
    queryKey: ['storage', app.projectId, 'uploads'],
    queryFn: () => readOpenUploads(app),
    refetchInterval: REFRESH_MS,
  });
  const others = (data ?? []).filter(
    ({ sessionId, modelId }) => sessionId !== shown && (!areModels || modelId !== undefined),
  );
  return (
    <>
      {error && <ErrorBox error={error} />}
      {others.map((upload) => (
        <OpenUpload key={upload.sessionId} upload={upload} />
      ))}
    </>
  );
}

function OpenUpload({ upload }: { upload: Schemas['OpenUpload'] }) {
  const { sessionId, fileName, fileSize, receivedBytes, expirationDate } = upload;
  const app = useApp();
  const [, change] = useFilters();
  const isSending = useSending(app) !== undefined;
  const discard = useAction(() => discardUpload(app, sessionId));
  return (
    <section aria-label={`Upload of ${fileName}`}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Text size="sm" className="cell" dir="auto">
            <ForeignName>{fileName}</ForeignName> is not complete: {formatBytes(receivedBytes)} of{' '}
            {formatBytes(fileSize)}, until {formatTime(expirationDate)}
          </Text>
          <Group gap="xs">
            {isContinuable(upload) ? (
              <ChangeButton
                size="compact-xs"
                variant="default"
                aria-label={`Continue ${fileName}`}
                disabled={isSending}
                onClick={() => change({ upload: sessionId })}
              >
                Continue
              </ChangeButton>
            ) : (
              <Text size="sm">The program that began it can continue it.</Text>
            )}
            <ConfirmButton
              label="Discard"
              row={fileName}
              isBusy={discard.isPending}
              onConfirm={() => discard.mutate()}
            />
          </Group>
        </Group>
        <Progress value={(receivedBytes / fileSize) * 100} aria-label={`Part of ${fileName} that has arrived`} />
        {discard.error && <ErrorBox error={discard.error} />}
      </Stack>
    </section>
  );
}
