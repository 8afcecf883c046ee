import { Stack, Text } from '@mantine/core';
import { ApiError } from '../api/client.js';
import { ErrorBox, RequestId } from './error-box.js';

interface NotKeptProps {
  error: Error;
  /** The name of one such thing. */
  noun: 'session' | 'trace';
}

/**
 * Shows why a session or a trace cannot be read. The ledger also names some that were never here, because a program that
 * reports its own call chooses the ids.
 */
export function NotKept({ error, noun }: NotKeptProps) {
  const code = `${noun.toUpperCase()}_NOT_FOUND`;
  if (!(error instanceof ApiError) || error.code !== code) return <ErrorBox error={error} />;
  return <NoneKept noun={noun} requestId={error.requestId} />;
}

interface NoneKeptProps extends Pick<NotKeptProps, 'noun'> {
  /** Null if the text cannot be an id, because then no request was sent. */
  requestId: string | null;
}

export function NoneKept({ noun, requestId }: NoneKeptProps) {
  return (
    <Stack gap={0}>
      <Text>
        No {noun} with this id is kept here. If a program reported a call with this id, the program chose it. If the{' '}
        {noun} was here, it has been deleted.
      </Text>
      <RequestId of={requestId} />
    </Stack>
  );
}
