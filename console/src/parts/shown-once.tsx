import { Alert, Button, Code, Group, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { CopyText } from './copy-text.js';

/** A secret with the name of the thing that has it. */
export interface NamedSecret {
  name: string;
  /** It is null if the first answer was lost on the way, because a repeat of the request does not show it again. */
  secret: string | null;
}

interface ShownOnceProps extends Pick<NamedSecret, 'secret'> {
  what: string;
  /** A sentence that says how to get another secret in place of one that was lost. */
  remedy: string;
  onClose: () => void;
}

/** A secret that the service shows only in this one answer. */
export function ShownOnce({ what, secret, remedy, onClose }: ShownOnceProps) {
  const shown = useRef<HTMLDivElement>(null);
  // A secret that is not seen now is lost.
  useEffect(() => {
    shown.current?.scrollIntoView({ block: 'center' });
    shown.current?.focus({ preventScroll: true });
  }, [secret]);
  if (secret === null)
    return (
      <Alert ref={shown} tabIndex={-1} color="red" title={`${what} was lost with the first answer`} role="status">
        <Group>
          <Text size="sm">It exists, and is shown only once. {remedy}</Text>
          <Button size="xs" variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Alert>
    );
  return (
    <Alert ref={shown} tabIndex={-1} color="blue" title={`${what} is shown only now`} role="status">
      <Group>
        <Code className="cell">{secret}</Code>
        <CopyText label="Copy" text={secret} />
        <Button size="xs" variant="default" onClick={onClose}>
          I have stored it
        </Button>
      </Group>
    </Alert>
  );
}
