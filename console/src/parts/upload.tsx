import { FileButton, Group, Progress, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { queries } from '../api/queries.js';
import { useApp } from '../app/app-context.js';
import { ChangeButton } from './change-button.js';
import { ConfirmButton } from './confirm-button.js';
import { ErrorBox } from './error-box.js';
import { ForeignName } from './foreign-text.js';
import { formatBytes } from './format.js';
import { beginUpload, discardUpload, isFileOf, type Purpose, sendFile, uploadOptions, useSending } from './uploads.js';
import { useAction } from './use-action.js';
import { useFilters } from './use-filters.js';

interface UploadProps extends Purpose {
  label: string;
}

/**
 * Sends a file in chunks, also after the page was left, and shows the upload again when the user comes back. Its id
 * stands in the address, so after a reload the user chooses the file again, and only the chunks that are missing are sent.
 * A file that is chosen on the page without that address goes on as well, if this browser began its upload.
 */
export function Upload({ label, ...purpose }: UploadProps) {
  const app = useApp();
  const [{ upload: inAddress }, change] = useFilters();
  const sending = useSending(app);
  const sessionId = sending?.sessionId ?? inAddress;
  const isSending = sending?.isSending === true;
  const resetChoice = useRef<() => void>(null);
  const { data: open, error: unknown } = useQuery({
    ...uploadOptions(app, sessionId ?? ''),
    enabled: sessionId !== undefined,
  });
  const send = useMutation({
    mutationFn: async (file: File) => {
      if (open && !isFileOf(open, file)) throw new OtherFile(open.fileName);
      const id = sessionId ?? (await beginUpload(app, file, purpose));
      change({ upload: id });
      const { missingChunks } = open ?? (await queries.fetchQuery(uploadOptions(app, id)));
      const done = await sendFile(app, id, file, missingChunks);
      // A model is then imported, and its page follows that job.
      if (done) change({ upload: undefined, followed: 'dockStatusId' in done ? done.dockStatusId : undefined });
      return done && file.name;
    },
  });
  const discard = useAction(
    async (id: string) => {
      await discardUpload(app, id);
      send.reset();
      change({ upload: undefined });
    },
    { queryKey: ['storage'] },
  );
  const choose = (file: File | null) => {
    if (file) send.mutate(file);
    // Otherwise the browser would not notice that the same file is chosen again.
    resetChoice.current?.();
  };
  const problem = discard.error ?? send.error ?? sending?.error ?? unknown;
  return (
    <section aria-label={label}>
      <Group>
        <FileButton onChange={choose} resetRef={resetChoice} inputProps={{ 'aria-label': label }}>
          {(props) => (
            <ChangeButton loading={isSending || send.isPending} {...props}>
              {isSending || !open ? label : `Choose ${open.fileName} again to continue`}
            </ChangeButton>
          )}
        </FileButton>
        {sessionId && (
          <ConfirmButton label="Discard" isBusy={discard.isPending} onConfirm={() => discard.mutate(sessionId)} />
        )}
      </Group>
      {sessionId && open && (
        <Text size="sm" className="cell" dir="auto">
          <ForeignName>{open.fileName}</ForeignName>: {open.receivedChunks.length} of {open.totalChunks} chunks,{' '}
          {formatBytes(open.receivedBytes)} of {formatBytes(open.fileSize)}
        </Text>
      )}
      {/* Screen readers read what changes in it, so it is there before, and the counts of each chunk are not in it. */}
      <Text size="sm" className="cell" dir="auto" role="status">
        {sessionId &&
          open &&
          (isSending ? 'The upload goes on while you look at other pages.' : 'The upload has stopped.')}
        {!sessionId && send.data && (
          <>
            <ForeignName>{send.data}</ForeignName> has been uploaded.
          </>
        )}
      </Text>
      {sessionId && open && (
        <Progress value={(open.receivedBytes / open.fileSize) * 100} aria-label="Part of the file that has arrived" />
      )}
      {problem && <ErrorBox error={problem} />}
    </section>
  );
}

class OtherFile extends Error {
  override name = 'OTHER_FILE';

  constructor(fileName: string) {
    super(`This is another file, or it has changed. Choose ${fileName} as it was, or discard this upload.`);
  }
}
