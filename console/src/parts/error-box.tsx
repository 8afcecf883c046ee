import { Alert, Code, Text } from '@mantine/core';
import { ApiError } from '../api/client.js';

/** Shows why something failed: the sentence of the service, its code, and the id of the request. */
export function ErrorBox({ error }: { error: Error }) {
  const { code, requestId } = error instanceof ApiError ? error : { code: error.name, requestId: null };
  return (
    <Alert color="red" title={code} role="alert">
      <Text size="sm">{error.message}</Text>
      {requestId !== null && (
        <Text size="sm" mt="xs">
          Request <Code>{requestId}</Code>
        </Text>
      )}
    </Alert>
  );
}
