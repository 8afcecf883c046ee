import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { withVisibleMarks } from '../../parts/visible-marks.js';
import type { Operation } from './open-api-document.js';

/** A document may have thousands of operations. A browser shows that many form elements slowly. */
const MAX_SHOWN = 100;

interface OperationChoiceProps {
  of: readonly Operation[];
  /** The operations by method and path. */
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}

/** Chooses among the operations of a document, of which a search shows some. */
export function OperationChoice({ of, chosen, onChange }: OperationChoiceProps) {
  const [search, setSearch] = useState('');
  const words = search.toLowerCase().split(/\s+/);
  const found = of.filter(({ at, summary }) => {
    const text = `${at} ${summary}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const shown = found.slice(0, MAX_SHOWN);
  const choose = (names: readonly string[]) => onChange(new Set([...chosen, ...names]));
  const toggle = (at: string) =>
    onChange(new Set(chosen.has(at) ? [...chosen].filter((each) => each !== at) : [...chosen, at]));
  return (
    <Stack gap="xs" component="section" aria-label="Operations">
      <TextInput
        label="Search the operations"
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <Group>
        <Text size="sm">
          {found.length} of {of.length} operations
          {found.length > shown.length && `, of which ${shown.length} are shown. Search for the others.`}
        </Text>
        <Button size="compact-xs" variant="default" onClick={() => choose(found.map(({ at }) => at))}>
          Choose these
        </Button>
        <Button size="compact-xs" variant="default" onClick={() => onChange(new Set())}>
          Choose none
        </Button>
      </Group>
      {shown.map(({ at, summary }) => (
        <Checkbox
          key={at}
          label={withVisibleMarks(at)}
          description={withVisibleMarks(summary)}
          checked={chosen.has(at)}
          onChange={() => toggle(at)}
          classNames={{ label: 'cell', description: 'cell' }}
        />
      ))}
    </Stack>
  );
}
