import { Button, Group } from '@mantine/core';
import { useState } from 'react';

/** A button that asks once more before it does what cannot be undone. */
export function ConfirmButton({ label, isBusy, onConfirm }: { label: string; isBusy: boolean; onConfirm: () => void }) {
  const [isAsking, setAsking] = useState(false);
  if (!isAsking) {
    return (
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {label}
      </Button>
    );
  }
  return (
    <Group gap="xs" wrap="nowrap">
      <Button
        size="xs"
        color="red.9"
        loading={isBusy}
        onClick={() => {
          setAsking(false);
          onConfirm();
        }}
      >
        {label}: confirm
      </Button>
      <Button size="xs" variant="default" onClick={() => setAsking(false)}>
        Keep
      </Button>
    </Group>
  );
}
