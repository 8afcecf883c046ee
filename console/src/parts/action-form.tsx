import { Button, Group, Stack, Text } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { ChangeButton } from './change-button.js';
import { ErrorBox } from './error-box.js';
import { faultsByField } from './field-faults.js';
import { useAction } from './use-action.js';
import { useWhyReadOnly } from './use-why-read-only.js';

interface ActionFormProps<Name extends string, Sent> {
  /** Names the form. */
  label: string;
  /** The text of the button that sends. The default is the label. */
  button?: string;
  /** The fields that show their faults themselves, each with the noun that begins the sentence of its faults. */
  fields: Readonly<Record<Name, string>>;
  send: () => Promise<Sent>;
  /** Is called with what was sent when the page shows it, unless the form is gone by then. */
  onDone?: (sent: Sent) => void;
  /** Leaves the form. Without it, the form has no button for that. */
  onCancel?: () => void;
  isDisabled?: boolean;
  /** Puts the button beside the fields instead of below them. */
  isRow?: boolean;
  maw?: string;
  /** Is shown beside the buttons. */
  beside?: ReactNode;
  /** Draws the fields, of which each shows its sentence, and what else the refusal says. */
  children: (faultOf: (name: Name) => string | undefined, refusal: Error | null) => ReactNode;
}

/** A form that sends a request. If the API refuses it, the form stays as it is and shows the refusal. */
export function ActionForm<Name extends string, Sent>(props: ActionFormProps<Name, Sent>) {
  const { label, button = label, fields, send, onDone, onCancel, isDisabled = false, isRow, maw, beside } = props;
  const action = useAction(send);
  const whyReadOnly = useWhyReadOnly();
  const names = Object.keys(fields);
  const faults = faultsByField(action.error, names);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    action.mutate(undefined, onDone && { onSuccess: onDone });
  };
  const content = props.children((name) => faults[name] && `${fields[name]} ${faults[name]}`, action.error);
  const buttons = (
    <Group>
      <ChangeButton type="submit" loading={action.isPending} disabled={isDisabled}>
        {button}
      </ChangeButton>
      {onCancel && (
        // The answer may have a secret that is shown only once, so the form waits for it.
        <Button size="xs" variant="default" disabled={action.isPending} onClick={onCancel}>
          Cancel
        </Button>
      )}
      {whyReadOnly !== null && <Text size="sm">{whyReadOnly}</Text>}
      {beside}
    </Group>
  );
  return (
    <form onSubmit={submit} aria-label={label}>
      <Stack gap="xs" maw={maw}>
        {isRow ? (
          <Group align="end">
            {content}
            {buttons}
          </Group>
        ) : (
          content
        )}
        {action.error && <ErrorBox error={action.error} fields={names} />}
        {!isRow && buttons}
      </Stack>
    </form>
  );
}
