import { Button, Group, JsonInput, NativeSelect, PasswordInput, Stack, TextInput } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { ErrorBox } from './error-box.js';
import { readJson } from './read-json.js';

export type Texts = Readonly<Record<string, string>>;

export interface Field<Name = string> {
  name: Name;
  label: string;
  /** The default is a line of text. */
  kind?: 'secret' | 'json' | 'number';
  /** The values to choose from. */
  values?: readonly string[];
  isRequired?: true;
  hint?: string;
}

/** Returns the fields that were filled in, as the API takes them. */
export function filledIn(fields: readonly Field[], texts: Texts): Record<string, unknown> {
  const given = fields.filter(({ name }) => texts[name]?.trim());
  return Object.fromEntries(given.map((field) => [field.name, valueOf(field, texts[field.name]!.trim())]));
}

function valueOf({ label, kind }: Field, text: string): unknown {
  if (kind === 'json') return readJson(label, text);
  return kind === 'number' ? Number(text) : text;
}

interface FieldsFormProps {
  /** Names the form and its button. */
  label: string;
  fields: readonly Field[];
  texts: Texts;
  onChange: (texts: Texts) => void;
  onSubmit: () => void;
  isBusy: boolean;
  error: Error | null;
  onCancel: () => void;
  /** Is shown above the fields. */
  children?: ReactNode;
}

/** A form whose texts its owner keeps, with the refusal of the API beside it. */
export function FieldsForm({
  label,
  fields,
  texts,
  onChange,
  onSubmit,
  isBusy,
  error,
  onCancel,
  children,
}: FieldsFormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit} aria-label={label}>
      <Stack gap="xs" maw="40rem">
        {children}
        {fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            text={texts[field.name] ?? ''}
            onChange={(text) => onChange({ ...texts, [field.name]: text })}
          />
        ))}
        {error && <ErrorBox error={error} />}
        <Group>
          <Button size="xs" type="submit" loading={isBusy}>
            {label}
          </Button>
          <Button size="xs" variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function FieldInput({ field, text, onChange }: { field: Field; text: string; onChange: (text: string) => void }) {
  const { label, kind, values, isRequired, hint } = field;
  const common = { label, description: hint, value: text, required: isRequired === true };
  if (kind === 'json') return <JsonInput {...common} onChange={onChange} autosize minRows={2} maxRows={12} />;
  if (values) {
    const onChoice = ({ currentTarget }: { currentTarget: HTMLSelectElement }) => onChange(currentTarget.value);
    return <NativeSelect {...common} onChange={onChoice} data={[...values]} />;
  }
  const onText = ({ currentTarget }: { currentTarget: HTMLInputElement }) => onChange(currentTarget.value);
  if (kind !== 'secret') {
    const type = kind === 'number' ? 'number' : 'text';
    return <TextInput {...common} onChange={onText} type={type} step="any" />;
  }
  const visibilityToggleButtonProps = { 'aria-label': `Show the ${label}` };
  return <PasswordInput {...common} onChange={onText} autoComplete="off" {...{ visibilityToggleButtonProps }} />;
}
