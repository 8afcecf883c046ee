import { NativeSelect } from '@mantine/core';
import { withVisibleMarks } from './visible-marks.js';

interface ThingSelectProps {
  label: string;
  /** The id of the chosen thing. */
  value: string;
  things: readonly { id: string; name: string }[];
  onChange: (id: string) => void;
}

/** Chooses one thing by its name, such as a project. One that is not among them, because it was deleted, shows its id. */
export function ThingSelect({ label, value, things, onChange }: ThingSelectProps) {
  const isKnown = things.some(({ id }) => id === value);
  return (
    <NativeSelect
      size="xs"
      w="max-content"
      maw="100%"
      label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[
        ...(isKnown ? [] : [value]),
        ...things.map(({ id, name }) => ({ value: id, label: withVisibleMarks(name) })),
      ]}
    />
  );
}
