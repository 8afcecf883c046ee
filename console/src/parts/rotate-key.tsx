import { NativeSelect } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ConfirmAction } from './confirm-action.js';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** The time for which the old value of a key keeps working. The API allows at most 30 days. */
const ENDS = {
  'at once': 0,
  'in 1 hour': HOUR_SECONDS,
  'in 1 day': DAY_SECONDS,
  'in 7 days': 7 * DAY_SECONDS,
  'in 30 days': 30 * DAY_SECONDS,
};
type End = keyof typeof ENDS;

/** The same as with a secret of a webhook. */
const DEFAULT: End = 'in 1 day';

interface RotateKeyProps {
  /** The name of the key. */
  name: string;
  /** The name of that which is replaced. */
  noun?: string;
  /** Says what happens to programs that use the present one until it ends. */
  warningOf?: (end: End) => string;
  rotate: (graceSeconds: number) => Promise<unknown>;
  /** The fields above the choice. */
  children?: ReactNode;
  /** Whether the user has still to fill them in. */
  isIncomplete?: boolean;
  /** Forgets what was entered. */
  forget?: () => void;
}

/** Gives a key a new value. The user chooses each time when the old one ends. */
export function RotateKey(props: RotateKeyProps) {
  const { name, noun = 'value', warningOf = warningOfValue, rotate, children, isIncomplete, forget } = props;
  const [end, setEnd] = useState<End>(DEFAULT);
  return (
    <ConfirmAction
      label="Rotate"
      row={name}
      warning={warningOf(end)}
      work={() => rotate(ENDS[end])}
      isIncomplete={isIncomplete}
      forget={() => {
        setEnd(DEFAULT);
        forget?.();
      }}
    >
      {children}
      <NativeSelect
        size="xs"
        label={`The old ${noun} ends`}
        value={end}
        onChange={({ currentTarget }) => setEnd(currentTarget.value as End)}
        data={Object.keys(ENDS)}
      />
    </ConfirmAction>
  );
}

function warningOfValue(end: End): string {
  if (end === 'at once')
    return 'The present value stops working at once, which is right if others know it. Programs that use it fail until they have the new one.';
  return `The present value works beside the new one, and ends ${end}. Give all programs the new one by then. Another rotation can end it earlier.`;
}

/** A client that has a key pair gives only its public key. */
export function warningOfPublicKey(end: End): string {
  const refused = `Tokens that are signed with the present private key are refused ${end}`;
  if (end === 'at once') return `${refused}, which is right if others know it.`;
  return `${refused}, unless another rotation ends the present key earlier. Until then, tokens of both keys are accepted.`;
}
