import { Button, Group } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ConfirmButton } from './confirm-button.js';
import { Refusals } from './refusals.js';
import { useAction } from './use-action.js';

export type SwitchedStatus = 'ACTIVE' | 'INACTIVE';

interface SwitchActionsProps {
  status: SwitchedStatus;
  /** The key of its list, which is read again after it was deleted. */
  list: readonly unknown[];
  setStatus: (status: SwitchedStatus) => Promise<unknown>;
  remove: () => Promise<unknown>;
  onGone: () => void;
  /** The form that changes it. */
  form: (onDone: () => void) => ReactNode;
}

/** Changes, activates, deactivates and deletes one thing that is switched on and off, such as a connection. */
export function SwitchActions({ status, list, setStatus, remove, onGone, form }: SwitchActionsProps) {
  const [isChanging, setChanging] = useState(false);
  const isActive = status === 'ACTIVE';
  const settingStatus = useAction(() => setStatus(isActive ? 'INACTIVE' : 'ACTIVE'));
  const removal = useAction(async () => {
    await remove();
    onGone();
  }, list);
  return (
    <>
      <Group>
        <Button size="xs" variant="default" onClick={() => setChanging(!isChanging)}>
          Change
        </Button>
        <Button size="xs" variant="default" loading={settingStatus.isPending} onClick={() => settingStatus.mutate()}>
          {isActive ? 'Deactivate' : 'Activate'}
        </Button>
        <ConfirmButton label="Delete" isBusy={removal.isPending} onConfirm={() => removal.mutate()} />
      </Group>
      <Refusals of={[settingStatus, removal]} />
      {isChanging && form(() => setChanging(false))}
    </>
  );
}
