import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ActionForm } from './action-form.js';

interface KeyFormProps {
  /** Names the form. */
  label: string;
  /** Makes a key of this name. The page shows its secret. */
  make: (name: string) => Promise<unknown>;
  /** Is shown before the name. */
  children?: ReactNode;
}

/** Makes a key, to whose name the routes give different names. */
export function KeyForm({ label, make, children }: KeyFormProps) {
  const [name, setName] = useState('');
  const send = async () => {
    await make(name.trim());
    setName('');
  };
  return (
    <ActionForm
      label={label}
      button="Create a key"
      fields={{ name: 'The name', apiKeyName: 'The name' }}
      send={send}
      isRow
    >
      {(faultOf) => (
        <>
          {children}
          <TextInput
            size="xs"
            label="Name"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            error={faultOf('name') ?? faultOf('apiKeyName')}
            required
          />
        </>
      )}
    </ActionForm>
  );
}
