import { Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ChangeButton } from './change-button.js';
import { useReadingPause } from './use-reading-pause.js';

interface ConfirmButtonProps {
  label: string;
  /** Names the row whose button this is, for screen readers, if other rows have the same button. */
  row?: string;
  isBusy: boolean;
  isDisabled?: boolean;
  /** Whether the choice that belongs to the confirmation has still to be made. */
  isIncomplete?: boolean;
  onConfirm: () => void;
  onLeave?: () => void;
  /** Says what happens if the user confirms. */
  warning?: string;
  /** A choice that the user makes with the confirmation. */
  children?: ReactNode;
}

/** A button that asks once more before it stops or deletes something, and is busy until that is done. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, row, isBusy, isDisabled = false, isIncomplete = false, onConfirm, onLeave, warning, children } = props;
  const [isAsking, setAsking] = useState(false);
  const [hasAsked, setAsked] = useState(false);
  const isReadable = useReadingPause(isAsking);
  const wasBusy = useRef(isBusy);
  useEffect(() => {
    if (wasBusy.current && !isBusy) setAsking(false);
    wasBusy.current = isBusy;
  }, [isBusy]);
  const ask = () => {
    setAsking(true);
    setAsked(true);
  };
  const leave = () => {
    setAsking(false);
    onLeave?.();
  };
  if (!isAsking) {
    return (
      <ChangeButton
        variant="default"
        aria-label={row === undefined ? undefined : `${label} ${row}`}
        autoFocus={hasAsked}
        disabled={isDisabled}
        onClick={ask}
      >
        {label}
      </ChangeButton>
    );
  }
  return (
    <Stack gap="xs">
      {children}
      {warning !== undefined && (
        <Text size="sm" role="status">
          {warning}
        </Text>
      )}
      <Group gap="xs" wrap="nowrap">
        <ChangeButton
          color="red.9"
          loading={isBusy}
          disabled={isDisabled || isIncomplete || !isReadable}
          onClick={onConfirm}
        >
          {label}: confirm
        </ChangeButton>
        <Button size="xs" variant="default" autoFocus disabled={isBusy} onClick={leave}>
          Leave it
        </Button>
      </Group>
    </Stack>
  );
}
