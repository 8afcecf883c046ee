import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ErrorBox } from './error-box.js';
import { faultsByField } from './field-faults.js';
import { useAction } from './use-action.js';

/** The names that the routes give the name of a key. */
const NAMES = ['name', 'apiKeyName'] as const;

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
  const faults = faultsByField(action.error, NAMES);
  const fault = faults.name ?? faults.apiKeyName;
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
          error={fault && `The name ${fault}`}
          required
        />
        <Button size="xs" type="submit" loading={action.isPending}>
          Make a key
        </Button>
      </Group>
      {action.error && <ErrorBox error={action.error} fields={NAMES} />}
    </form>
  );
}
