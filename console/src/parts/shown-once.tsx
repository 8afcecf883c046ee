import { Alert, Button, Code, CopyButton, Group } from '@mantine/core';

/** A secret that the service shows only in this one answer. */
export function ShownOnce({ what, secret, onClose }: { what: string; secret: string; onClose: () => void }) {
  return (
    <Alert color="green" title={`${what} is shown only now`} role="status">
      <Group>
        <Code className="cell">{secret}</Code>
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
        <Button size="xs" variant="default" onClick={onClose}>
          I have stored it
        </Button>
      </Group>
    </Alert>
  );
}
