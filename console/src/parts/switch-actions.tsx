import type { ReactNode } from 'react';
import { ChangeActions } from './change-actions.js';
import { ChangeButton } from './change-button.js';
import { ConfirmButton } from './confirm-button.js';
import { useAction } from './use-action.js';
import { useDeletion } from './use-deletion.js';

const STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type SwitchedStatus = (typeof STATUSES)[number];

/** The filter of lists of such things. */
export const BY_STATUS = { name: 'status', label: 'Status', values: STATUSES } as const;

interface SwitchActionsProps {
  id: string;
  status: SwitchedStatus;
  setStatus: (status: SwitchedStatus) => Promise<unknown>;
  remove: () => Promise<unknown>;
  onGone: () => void;
  /** The form that changes it. */
  form: (onDone: () => void) => ReactNode;
}

/** Changes, activates, deactivates and deletes one thing that is switched on and off, such as a connection. */
export function SwitchActions({ id, status, setStatus, remove, onGone, form }: SwitchActionsProps) {
  const isActive = status === 'ACTIVE';
  const settingStatus = useAction(() => setStatus(isActive ? 'INACTIVE' : 'ACTIVE'));
  const deletion = useDeletion({ connection: id }, remove, onGone);
  return (
    <ChangeActions form={form} actions={[settingStatus, deletion]}>
      <ChangeButton variant="default" loading={settingStatus.isPending} onClick={() => settingStatus.mutate()}>
        {isActive ? 'Deactivate' : 'Activate'}
      </ChangeButton>
      <ConfirmButton label="Delete" isBusy={deletion.isPending} onConfirm={() => deletion.mutate()} />
    </ChangeActions>
  );
}
