import { Alert, Button, Code, Group } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { CopyText } from './copy-text.js';

/** A secret that the service shows only in this one answer. */
export function ShownOnce({ what, secret, onClose }: { what: string; secret: string; onClose: () => void }) {
  const shown = useRef<HTMLDivElement>(null);
  // A secret that is not seen now is lost.
  useEffect(() => {
    shown.current?.scrollIntoView({ block: 'center' });
    shown.current?.focus({ preventScroll: true });
  }, [secret]);
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
