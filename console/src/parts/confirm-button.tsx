import { Button, Group } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';

/** A button that asks once more before it does what cannot be undone, and is busy until that is done. */
export function ConfirmButton({ label, isBusy, onConfirm }: { label: string; isBusy: boolean; onConfirm: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const wasBusy = useRef(isBusy);
  useEffect(() => {
    if (wasBusy.current && !isBusy) setAsking(false);
    wasBusy.current = isBusy;
  }, [isBusy]);
  if (!isAsking) {
    return (
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {label}
      </Button>
    );
  }
  return (
    <Group gap="xs" wrap="nowrap">
      <Button size="xs" color="red.9" loading={isBusy} onClick={onConfirm}>
        {label}: confirm
      </Button>
      <Button size="xs" variant="default" disabled={isBusy} onClick={() => setAsking(false)}>
        Keep
      </Button>
    </Group>
  );
}
