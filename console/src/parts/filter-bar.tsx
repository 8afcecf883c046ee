import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type Filter, memberOf, useFilters } from './use-filters.js';
import { withVisibleMarks } from './visible-marks.js';

/** Shows the filters in the address as chips that can be removed, and adds further ones. */
export function FilterBar({ filters }: { filters: readonly Filter<Record<string, string>>[] }) {
  const [given, change] = useFilters();
  const [name, setName] = useState(filters[0]!.name);
  const [text, setText] = useState('');
  const selected = filters.find((filter) => filter.name === name)!;
  const { values } = selected;
  const value = values && !values.includes(text) ? values[0]! : text;

  const add = (event: FormEvent) => {
    event.preventDefault();
    change({ [memberOf(selected)]: value.trim() });
    setText('');
  };
  // A link of a stranger may have any text.
  const chips = filters
    .filter((filter) => given[memberOf(filter)])
    .map((filter) => ({ filter, text: `${filter.label}: ${withVisibleMarks(given[memberOf(filter)]!)}` }));
  return (
    <Group align="end" gap="xs">
      <form onSubmit={add} aria-label="Add a filter">
        <Group align="end" gap="xs">
          <NativeSelect
            size="xs"
            label="Filter"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            data={filters.map((filter) => ({ value: filter.name, label: filter.label }))}
          />
          {values ? (
            <NativeSelect
              size="xs"
              label="Value"
              value={value}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
              data={[...values]}
            />
          ) : (
            <TextInput
              size="xs"
              label="Value"
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
              required
              // Nothing has to be filtered.
              withAsterisk={false}
            />
          )}
          <Button size="xs" type="submit" variant="default">
            Add filter
          </Button>
        </Group>
      </form>
      {chips.map(({ filter, text: shown }) => (
        <Button
          key={filter.name}
          size="xs"
          variant="light"
          classNames={{ root: 'chip', label: 'chip-text' }}
          rightSection="×"
          onClick={() => change({ [memberOf(filter)]: undefined })}
          aria-label={`Remove the filter ${shown}`}
        >
          {shown}
        </Button>
      ))}
    </Group>
  );
}
