import { Group } from '@mantine/core';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { ChangeButton } from './change-button.js';
import { Refusals } from './refusals.js';

interface ChangeActionsProps {
  /** The text of the button that opens the form, and closes it. */
  label?: string;
  /** The form that changes the thing. */
  form: (close: () => void) => ReactNode;
  /** The actions of the other buttons. */
  actions: ComponentProps<typeof Refusals>['of'];
  /** The other buttons. */
  children: ReactNode;
}

/** The buttons of one thing. The first one opens the form that changes it, below them all. */
export function ChangeActions({ label = 'Change', form, actions, children }: ChangeActionsProps) {
  const [isChanging, setChanging] = useState(false);
  return (
    <>
      <Group>
        <ChangeButton variant="default" onClick={() => setChanging(!isChanging)}>
          {label}
        </ChangeButton>
        {children}
      </Group>
      <Refusals of={actions} />
      {isChanging && form(() => setChanging(false))}
    </>
  );
}
