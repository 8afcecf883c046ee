import { Text } from '@mantine/core';
import { ApiError } from '../api/client.js';
import { ErrorBox } from './error-box.js';

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
  return <NoneKept noun={noun} />;
}

export function NoneKept({ noun }: Pick<NotKeptProps, 'noun'>) {
  return (
    <Text>
      No {noun} with this id is kept here. If a program reported a call with this id, the program chose it. If the{' '}
      {noun} was here, it has been deleted.
    </Text>
  );
}
