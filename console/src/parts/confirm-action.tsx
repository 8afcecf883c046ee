import type { ReactNode } from 'react';
import { ConfirmButton } from './confirm-button.js';
import { Refusals } from './refusals.js';
import { useAction } from './use-action.js';

interface ConfirmActionProps {
  label: string;
  /** Names the row whose button this is, if other rows have the same one. */
  row?: string;
  /** Says what happens if the user confirms. */
  warning?: string;
  /** A choice that the user makes with the confirmation. */
  children?: ReactNode;
  /** Whether the choice has still to be made. */
  isIncomplete?: boolean;
  /** Forgets the choice, when the user has left the question or the work is done. */
  forget?: () => void;
  work: () => Promise<unknown>;
}

/** Asks once more before it sends a request, and shows why it was refused. Each row of a list has its own. */
export function ConfirmAction({ work, forget, ...button }: ConfirmActionProps) {
  const action = useAction(work);
  return (
    <>
      <ConfirmButton
        {...button}
        isBusy={action.isPending}
        onConfirm={() => action.mutate(undefined, { onSuccess: forget })}
        onLeave={forget}
      />
      <Refusals of={[action]} />
    </>
  );
}
