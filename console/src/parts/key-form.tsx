import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ActionForm } from './action-form.js';
import { timeOf } from './local-time.js';
import { TimeInput } from './time-input.js';

interface KeyFormProps {
  /** Names the form. */
  label: string;
  /** Makes a key of this name, which may have a time from which it is no longer valid. The page shows its secret. */
  make: (name: string, expiresAt: string | undefined) => Promise<unknown>;
  /** Whether the user may set that time. */
  canExpire?: true;
  /** Is shown before the name. */
  children?: ReactNode;
}

/** Makes a key, to whose name the routes give different names. */
export function KeyForm({ label, make, canExpire, children }: KeyFormProps) {
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState('');
  const send = async () => {
    await make(name.trim(), expiry ? timeOf(expiry) : undefined);
    // A text that was typed meanwhile stays.
    setName((now) => (now === name ? '' : now));
    setExpiry((now) => (now === expiry ? '' : now));
  };
  return (
    <ActionForm
      label={label}
      button="Create a key"
      fields={{ name: 'The name', apiKeyName: 'The name', expiresAt: 'The time' }}
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
          {canExpire && (
            <TimeInput
              size="xs"
              label="Expires (optional)"
              value={expiry}
              onChange={setExpiry}
              error={faultOf('expiresAt')}
            />
          )}
        </>
      )}
    </ActionForm>
  );
}
