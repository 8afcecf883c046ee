import { Button, FileButton, Group, Progress, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf } from '../api/client.js';
import { type AppContext, useApp } from '../app/app-context.js';
import { ErrorBox } from './error-box.js';
import { formatBytes } from './format.js';
import { useFilters } from './use-filters.js';

const SESSIONS = '/api/public/files/session';
const SESSION = '/api/public/files/session/{sessionId}';
/** An upload that was interrupted is continued with chunks of the same size. */
const CHUNK_BYTES = 8 * 1024 * 1024;

interface Purpose {
  fileContext: string;
  isAdapter?: boolean;
}

interface UploadProps extends Purpose {
  label: string;
}

/**
 * Sends a file in chunks. The upload's id stands in the address, so after a reload the user chooses the file again, and
 * only the chunks that are missing are sent.
 */
export function Upload({ label, ...purpose }: UploadProps) {
  const app = useApp();
  const queries = useQueryClient();
  const [{ upload: sessionId }, change] = useFilters();
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const { data: open, error: unknown } = useQuery({
    queryKey: ['upload', sessionId],
    queryFn: () => bodyOf(app.asApp.GET(SESSION, { params: { path: { sessionId: sessionId! } } })),
    enabled: sessionId !== undefined,
  });

  const send = async (file: File | null) => {
    if (!file) return;
    setSending(true);
    setError(null);
    try {
      if (open && (open.fileName !== file.name || open.fileSize !== file.size)) throw new OtherFile(open.fileName);
      const id = sessionId ?? (await start(app, file, purpose));
      change({ upload: id });
      for (const number of open?.missingChunks ?? numbersOf(file)) {
        await sendChunk(app, id, file, number);
        await queries.invalidateQueries({ queryKey: ['upload', id] });
      }
      const done = await bodyOf(app.asApp.POST(`${SESSION}/complete`, { params: { path: { sessionId: id } } }));
      // A model is then imported, and its page follows that job.
      change({ upload: undefined, followed: 'dockStatusId' in done ? done.dockStatusId : undefined });
      await queries.invalidateQueries();
    } catch (refusal) {
      setError(refusal as Error);
    } finally {
      setSending(false);
    }
  };
  const problem = error ?? unknown;
  return (
    <section aria-label={label}>
      <Group>
        <FileButton onChange={(file) => void send(file)} inputProps={{ 'aria-label': label }}>
          {(props) => (
            <Button size="xs" loading={isSending} {...props}>
              {open ? `Choose ${open.fileName} again to continue` : label}
            </Button>
          )}
        </FileButton>
        {sessionId && !isSending && (
          <Button size="xs" variant="default" onClick={() => change({ upload: undefined })}>
            Leave this upload
          </Button>
        )}
      </Group>
      {sessionId && open && (
        <>
          <Text size="sm" className="cell" dir="auto" role="status">
            {open.fileName}: {open.receivedChunks.length} of {open.totalChunks} chunks,{' '}
            {formatBytes(open.receivedBytes)} of {formatBytes(open.fileSize)}
          </Text>
          <Progress value={(open.receivedBytes / open.fileSize) * 100} aria-label="Part of the file that has arrived" />
        </>
      )}
      {problem && <ErrorBox error={problem} />}
    </section>
  );
}

class OtherFile extends Error {
  override name = 'OTHER_FILE';

  constructor(fileName: string) {
    super(`This is another file. Choose ${fileName}, or leave this upload.`);
  }
}

function numbersOf({ size }: File): number[] {
  return Array.from({ length: Math.ceil(size / CHUNK_BYTES) }, (_, number) => number);
}

async function start({ asApp }: AppContext, file: File, purpose: Purpose): Promise<string> {
  const body = {
    ...purpose,
    fileName: file.name,
    fileExtension: file.name.split('.').at(-1)!,
    fileSize: file.size,
    totalChunks: numbersOf(file).length,
  };
  return (await bodyOf(asApp.POST(`${SESSIONS}/start`, { body }))).sessionId;
}

async function sendChunk({ asApp }: AppContext, sessionId: string, file: File, number: number): Promise<void> {
  const form = new FormData();
  form.set('chunkNumber', String(number));
  form.set('file', file.slice(number * CHUNK_BYTES, (number + 1) * CHUNK_BYTES), file.name);
  const params = { path: { sessionId } };
  await asApp.POST(SESSION, { params, body: form as never, bodySerializer: () => form });
}
