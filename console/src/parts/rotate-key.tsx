import { NativeSelect } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ConfirmAction } from './confirm-action.js';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** The time for which the old value of a key keeps working. The API allows no longer one. */
const ENDS = {
  'at once': 0,
  'in 1 hour': HOUR_SECONDS,
  'in 1 day': DAY_SECONDS,
  'in 7 days': 7 * DAY_SECONDS,
  'in 30 days': 30 * DAY_SECONDS,
};
type End = keyof typeof ENDS;

interface RotateKeyProps {
  /** The name of the key. */
  name: string;
  rotate: (graceSeconds: number) => Promise<unknown>;
  /** Is shown above the choice. */
  children?: ReactNode;
}

/** Gives a key a new value. The user chooses when the old one ends: in a day by default, as with a secret of a webhook. */
export function RotateKey({ name, rotate, children }: RotateKeyProps) {
  const [end, setEnd] = useState<End>('in 1 day');
  return (
    <ConfirmAction label="Rotate" row={name} warning={warningOf(end)} work={() => rotate(ENDS[end])}>
      {children}
      <NativeSelect
        size="xs"
        label="The old value ends"
        value={end}
        onChange={({ currentTarget }) => setEnd(currentTarget.value as End)}
        data={Object.keys(ENDS)}
      />
    </ConfirmAction>
  );
}

function warningOf(end: End): string {
  if (end === 'at once')
    return 'The present value stops working at once, which is right if others know it. Programs that use it fail until they have the new one.';
  return `The present value works beside the new one, and ends ${end}. Give all programs the new one by then. Another rotation can end it earlier.`;
}
