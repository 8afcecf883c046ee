import { Button, Text } from '@mantine/core';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { Facts } from './facts.js';
import { JsonText } from './json-text.js';

interface OutcomeProps {
  title: string;
  facts: ComponentProps<typeof Facts>['of'];
  /** The answer of the API, which is shown on request. */
  answer: unknown;
  children?: ReactNode;
}

/** Shows what a test has found. */
export function Outcome({ title, facts, answer, children }: OutcomeProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section aria-label={title}>
      <Text fw={600} size="sm">
        {title}
      </Text>
      <Facts of={facts} />
      {children}
      <Button size="compact-xs" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Hide the answer as JSON' : 'Show the answer as JSON'}
      </Button>
      {isOpen && <JsonText title="Answer" value={answer} />}
    </section>
  );
}
