import { ChangeActions } from './change-actions.js';
import { ConfirmButton } from './confirm-button.js';
import { FieldsForm, NAME, type Texts } from './fields-form.js';
import type { useRemoval } from './use-deletion.js';

interface NamedActionsProps {
  noun: string;
  name: string;
  rename: (name: string) => Promise<unknown>;
  removal: ReturnType<typeof useRemoval>;
  /** Says what happens if the user confirms the deletion. */
  warning: string;
  /** Is called when the thing is deleted, unless the user has left the page by then. */
  onGone?: () => void;
}

/** Renames and deletes a thing of which the console changes only the name. */
export function NamedActions({ noun, name, rename, removal, warning, onGone }: NamedActionsProps) {
  return (
    <ChangeActions
      label={`Rename the ${noun}`}
      form={(close) => (
        <FieldsForm
          label={`Save the name of the ${noun}`}
          fields={[NAME]}
          shown={{ name }}
          save={(texts: Texts) => rename(texts.name!.trim())}
          onDone={close}
        />
      )}
      actions={[removal]}
    >
      <ConfirmButton
        label={`Delete the ${noun}`}
        warning={warning}
        isBusy={removal.isPending}
        onConfirm={() => removal.mutate(undefined, onGone && { onSuccess: onGone })}
      />
    </ChangeActions>
  );
}
