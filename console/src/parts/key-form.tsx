import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ErrorBox } from './error-box.js';
import { useAction } from './use-action.js';

interface KeyFormProps {
  /** Names the form. */
  label: string;
  /** Makes a key of this name. The page shows its secret. */
  make: (name: string) => Promise<unknown>;
  /** Is shown before the name. */
  children?: ReactNode;
}

/** Makes a key. The name stays in the form if the API refuses it. */
export function KeyForm({ label, make, children }: KeyFormProps) {
  const [name, setName] = useState('');
  const action = useAction(async () => {
    await make(name.trim());
    setName('');
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    action.mutate();
  };
  return (
    <form onSubmit={submit} aria-label={label}>
      <Group align="end">
        {children}
        <TextInput
          size="xs"
          label="Name"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          required
        />
        <Button size="xs" type="submit" loading={action.isPending}>
          Make a key
        </Button>
      </Group>
      {action.error && <ErrorBox error={action.error} />}
    </form>
  );
}
