import { Alert, Code, List, Text } from '@mantine/core';
import { ApiError } from '../api/client.js';

/** Shows why something failed: the sentence of the service, its code, the members at fault, and the id of the request. */
export function ErrorBox({ error }: { error: Error }) {
  const { code, requestId, issues, reason } =
    error instanceof ApiError ? error : { code: error.name, requestId: null, issues: [], reason: null };
  return (
    <Alert color="red" title={code} role="alert">
      <Text size="sm">{error.message}</Text>
      {issues.length > 0 && (
        <List size="sm">
          {issues.map(({ path, message }, at) => (
            <List.Item key={at} className="cell">
              <Code>{path}</Code> {message}
            </List.Item>
          ))}
        </List>
      )}
      {reason !== null && (
        <Text size="sm" mt="xs" className="cell">
          Reason <Code>{reason}</Code>
        </Text>
      )}
      {requestId !== null && (
        <Text size="sm" mt="xs">
          Request <Code>{requestId}</Code>
        </Text>
      )}
    </Alert>
  );
}
