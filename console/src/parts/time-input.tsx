import { TextInput, type TextInputProps } from '@mantine/core';

interface TimeInputProps extends Pick<TextInputProps, 'label' | 'description' | 'size' | 'error' | 'required'> {
  /** A time of the browser, to the minute. */
  value: string;
  onChange: (local: string) => void;
}

/** Takes a time of the browser. */
export function TimeInput({ onChange, ...input }: TimeInputProps) {
  return (
    <TextInput
      {...input}
      type="datetime-local"
      // The browser then takes years of four digits only, as the API does.
      max="9999-12-31T23:59"
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
