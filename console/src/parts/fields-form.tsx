import { Checkbox, JsonInput, NativeSelect, PasswordInput, Stack, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ActionForm } from './action-form.js';
import { formatJson } from './format.js';
import { growing } from './growing.js';
import { readJson } from './read-json.js';
import { useFirstField } from './use-first-field.js';

export type Texts = Readonly<Record<string, string>>;

export interface Field<Name = string> {
  name: Name;
  label: string;
  /** The default is a line of text. */
  kind?: 'lines' | 'secret' | 'json' | 'number' | 'several';
  /** The values to choose from, one alone or several. */
  values?: readonly string[];
  /** The texts of values that do not stand for themselves. */
  names?: Readonly<Record<string, string>>;
  isRequired?: true;
  hint?: string;
  /** The value of the member when it has none. The default is null. */
  none?: unknown;
}

/** The field of a thing that has a name. */
export const NAME = { name: 'name', label: 'Name', isRequired: true } as const;

/** Returns the texts that show the members. Secrets are not shown. */
export function textsOf(fields: readonly Field[], members: Readonly<Record<string, unknown>>): Texts {
  return Object.fromEntries(fields.map((field) => [field.name, textOf(field, members[field.name] ?? null)]));
}

function textOf({ kind, none = null }: Field, value: unknown): string {
  const text = formatJson(value);
  return kind === 'secret' || text === formatJson(none) ? '' : text;
}

/**
 * Returns the members whose texts were changed, as the API takes them, so that the changes of another administrator stay.
 * Those that were emptied have none.
 */
export function changedIn(fields: readonly Field[], shown: Texts, texts: Texts): Record<string, unknown> {
  const changed = fields.filter(({ name }) => texts[name]!.trim() !== shown[name]);
  const none = Object.fromEntries(changed.map(({ name, none = null }) => [name, none]));
  return { ...none, ...filledIn(changed, texts) };
}

/** Returns the fields that were filled in, as the API takes them. */
export function filledIn(fields: readonly Field[], texts: Texts): Record<string, unknown> {
  const given = fields.filter(({ name }) => texts[name]?.trim());
  return Object.fromEntries(given.map((field) => [field.name, valueOf(field, texts[field.name]!.trim())]));
}

function valueOf({ label, kind }: Field, text: string): unknown {
  if (kind === 'json' || kind === 'several') return readJson(label, text);
  return kind === 'number' ? Number(text) : text;
}

interface FieldsFormProps<Saved> {
  /** Names the form and its button. */
  label: string;
  fields: readonly Field[];
  /** The texts that the form begins with. */
  shown?: Texts;
  save: (texts: Texts) => Promise<Saved>;
  /** Is called with what was saved when the page shows it, or without it when the user cancels. */
  onDone: (saved?: Saved) => void;
  /** Is shown above the fields. */
  children?: ReactNode;
}

/** A form that keeps its texts when the API refuses them, with the refusal beside them, and when its fields change. */
export function FieldsForm<Saved>({ label, fields, shown = {}, save, onDone, children }: FieldsFormProps<Saved>) {
  const [texts, setTexts] = useState(shown);
  const form = useFirstField();
  return (
    <div ref={form}>
      <ActionForm
        label={label}
        fields={Object.fromEntries(fields.map((field) => [field.name, field.label]))}
        send={() => save(texts)}
        onDone={onDone}
        onCancel={() => onDone()}
        maw="40rem"
      >
        {(faultOf) => (
          <>
            {children}
            {fields.map((field) => (
              <FieldInput
                key={field.name}
                field={field}
                text={texts[field.name] ?? ''}
                error={faultOf(field.name)}
                onChange={(text) => setTexts({ ...texts, [field.name]: text })}
              />
            ))}
          </>
        )}
      </ActionForm>
    </div>
  );
}

interface FieldInputProps {
  field: Field;
  text: string;
  error: string | undefined;
  onChange: (text: string) => void;
}

function FieldInput({ field, text, error, onChange }: FieldInputProps) {
  const { label, kind, values, names = {}, isRequired, hint } = field;
  const common = { label, description: hint, value: text, required: isRequired === true, error };
  if (kind === 'json') return <JsonInput {...common} onChange={onChange} {...growing(12)} />;
  if (values) {
    const choices = values.map((value) => ({ value, label: names[value] ?? value }));
    if (kind === 'several') return <Several {...common} choices={choices} onChange={onChange} />;
    const onChoice = ({ currentTarget }: { currentTarget: HTMLSelectElement }) => onChange(currentTarget.value);
    return <NativeSelect {...common} onChange={onChoice} data={choices} />;
  }
  const onText = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
    onChange(currentTarget.value);
  if (kind === 'lines') return <Textarea {...common} onChange={onText} {...growing(12)} />;
  if (kind !== 'secret') {
    const type = kind === 'number' ? 'number' : 'text';
    return <TextInput {...common} onChange={onText} type={type} step="any" />;
  }
  const visibilityToggleButtonProps = { 'aria-label': `Show the ${label}` };
  return <PasswordInput {...common} onChange={onText} autoComplete="off" {...{ visibilityToggleButtonProps }} />;
}

interface SeveralProps extends Omit<FieldInputProps, 'field' | 'text'> {
  label: string;
  description: string | undefined;
  /** The chosen values, as a list in JSON. */
  value: string;
  choices: readonly { value: string; label: string }[];
}

/** A box for each value. */
function Several({ value, choices, onChange, ...group }: SeveralProps) {
  return (
    <Checkbox.Group
      {...group}
      value={value ? (JSON.parse(value) as string[]) : []}
      onChange={(chosen) => onChange(formatJson(chosen))}
    >
      <Stack gap={4} my="xs">
        {choices.map((choice) => (
          <Checkbox key={choice.value} {...choice} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
