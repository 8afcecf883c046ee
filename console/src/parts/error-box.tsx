import { Alert, Code, List, Text } from '@mantine/core';
import { ApiError } from '../api/client.js';
import { isAway, useAway } from '../api/away.js';
import { useIsOver } from './use-is-over.js';
import { fieldAt } from './field-faults.js';
import { sentenceOf, titleOf } from './sentences.js';
import { withVisibleMarks } from './visible-marks.js';

interface ErrorBoxProps {
  error: Error;
  /** The names of the fields that show their faults themselves. */
  fields?: readonly string[];
}

/** Says once for the whole page that the service is away. The page keeps all that it has read. */
export function AwayBanner() {
  const error = useAway();
  return error && <Failure error={error} />;
}

/** Shows why something failed, unless the banner of the page says so for all of its parts. */
export function ErrorBox(props: ErrorBoxProps) {
  const away = useAway();
  return away && isAway(props.error) ? null : <Failure {...props} />;
}

/** Shows why something failed: a sentence, the members at fault, the code, and the id of the request. */
function Failure({ error, fields = [] }: ErrorBoxProps) {
  const isOver = useIsOver(error);
  const { code, requestId, issues, reason } =
    error instanceof ApiError ? error : { code: error.name, requestId: null, issues: [], reason: null };
  const others = issues.filter((issue) => fieldAt(issue, fields) === undefined);
  if (isOver) return null;
  return (
    <Alert color="red" title={titleOf(error)} role="alert">
      <Text size="sm">{withVisibleMarks(sentenceOf(error))}</Text>
      {others.length > 0 && (
        <List size="sm">
          {others.map(({ path, message }, at) => (
            <List.Item key={at} className="cell">
              <Code>{path}</Code> {withVisibleMarks(message)}
            </List.Item>
          ))}
        </List>
      )}
      {reason !== null && (
        <Text size="sm" mt="xs" className="cell">
          Reason <Code>{reason}</Code>
        </Text>
      )}
      <Text size="sm" mt="xs" className="cell">
        Code <Code>{code}</Code>
      </Text>
      <RequestId of={requestId} />
    </Alert>
  );
}

/** Names a request that failed, as the log of the service does. It shows nothing if the service gave no id. */
export function RequestId({ of: requestId }: { of: string | null }) {
  if (requestId === null) return null;
  return (
    <Text size="sm">
      Request <Code>{requestId}</Code>
    </Text>
  );
}
