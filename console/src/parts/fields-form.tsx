import { Checkbox, JsonInput, NativeSelect, PasswordInput, Stack, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ActionForm } from './action-form.js';
import { formatJson } from './format.js';
import { growing } from './growing.js';
import { localOf, timeOf } from './local-time.js';
import { readJson } from './read-json.js';
import { TimeInput } from './time-input.js';
import { useFirstField } from './use-first-field.js';
import { withVisibleMarks } from './visible-marks.js';

/** The length of `2026-11-21T09:30`. */
const TO_THE_MINUTE = 16;

export type Texts = Readonly<Record<string, string>>;

export interface Field<Name = string> {
  name: Name;
  label: string;
  /** The default is a line of text. */
  kind?: 'lines' | 'secret' | 'json' | 'number' | 'several' | 'time' | 'flag';
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

/** The text of a flag that is set. One that is not has none. */
const SET = 'true';

/** Returns the texts that show the members. Secrets are not shown. */
export function textsOf(fields: readonly Field[], members: Readonly<Record<string, unknown>>): Texts {
  return Object.fromEntries(fields.map((field) => [field.name, textOf(field, members[field.name] ?? null)]));
}

function textOf({ kind, values, none = null }: Field, value: unknown): string {
  if (kind === 'several') return textOfSeveral(values!, (value ?? []) as string[]);
  if (kind === 'time') return value === null ? '' : localOf(value as string).slice(0, TO_THE_MINUTE);
  const text = formatJson(value);
  return kind === 'secret' || text === formatJson(none) ? '' : text;
}

/** The list of the chosen values in JSON, in the order in which the form shows them. */
function textOfSeveral(values: readonly string[], chosen: readonly string[]): string {
  return chosen.length === 0 ? '' : formatJson(values.filter((value) => chosen.includes(value)));
}

/** Returns the fields whose texts were changed. */
export function editedOf<Name extends string>(
  fields: readonly Field<Name>[],
  shown: Texts,
  texts: Texts,
): Field<Name>[] {
  return fields.filter(({ name }) => texts[name]!.trim() !== shown[name]!.trim());
}

/**
 * Returns the members whose texts were changed, as the API takes them, so that the changes of another administrator stay.
 * Those that were emptied have none.
 */
export function changedIn(fields: readonly Field[], shown: Texts, texts: Texts): Record<string, unknown> {
  const changed = editedOf(fields, shown, texts);
  const none = Object.fromEntries(changed.map(({ name, none = null }) => [name, none]));
  return { ...none, ...filledIn<Record<string, unknown>>(changed, texts) };
}

/**
 * Returns the texts with a value for each choice of one among several. It is the first one until the user makes another
 * choice, and when the chosen one is gone, because that is what the form shows.
 */
export function withChoices(fields: readonly Field[], texts: Texts): Texts {
  const choices = fields.flatMap(({ name, kind, values = [] }) => {
    const isKept = kind === 'several' || values.length === 0 || values.includes(texts[name] ?? '');
    return isKept ? [] : [[name, values[0]!] as const];
  });
  return { ...texts, ...Object.fromEntries(choices) };
}

/**
 * Returns the fields that were filled in, as the API takes them. Each is a member of the body by its name, and the form lets
 * nothing be sent that lacks a required one.
 */
export function filledIn<Body>(fields: readonly Field<keyof Body & string>[], texts: Texts): Body {
  const given = fields.filter(({ name }) => texts[name]?.trim());
  return Object.fromEntries(given.map((field) => [field.name, valueOf(field, texts[field.name]!.trim())])) as Body;
}

function valueOf({ label, kind }: Field, text: string): unknown {
  if (kind === 'json' || kind === 'several') return readJson(label, text);
  if (kind === 'time') return timeOf(text);
  if (kind === 'flag') return text === SET;
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
        fields={labelsOf(fields)}
        send={() => save(withChoices(fields, texts))}
        onDone={onDone}
        onCancel={() => onDone()}
        maw="40rem"
      >
        {(faultOf) => (
          <>
            {children}
            <FieldInputs
              fields={fields}
              texts={texts}
              faultOf={faultOf}
              onChange={(name, text) => setTexts({ ...texts, [name]: text })}
            />
          </>
        )}
      </ActionForm>
    </div>
  );
}

/** Returns the nouns that begin the sentences of the faults. */
export function labelsOf(fields: readonly Field[]): Readonly<Record<string, string>> {
  return Object.fromEntries(fields.map(({ name, label }) => [name, label]));
}

interface FieldInputsProps {
  fields: readonly Field[];
  texts: Texts;
  faultOf: (name: string) => string | undefined;
  onChange: (name: string, text: string) => void;
}

export function FieldInputs({ fields, texts, faultOf, onChange }: FieldInputsProps) {
  return fields.map((field) => (
    <FieldInput
      key={field.name}
      field={field}
      text={texts[field.name] ?? ''}
      error={faultOf(field.name)}
      onChange={(text) => onChange(field.name, text)}
    />
  ));
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
  if (kind === 'time') return <TimeInput {...common} onChange={onChange} />;
  if (kind === 'flag') return <Flag {...common} onChange={onChange} />;
  if (values) {
    const choices = values.map((value) => ({ value, label: withVisibleMarks(names[value] ?? value) }));
    if (kind === 'several') return <Several {...common} choices={choices} onChange={onChange} />;
    const onChoice = ({ currentTarget }: { currentTarget: HTMLSelectElement }) => onChange(currentTarget.value);
    return <NativeSelect {...common} onChange={onChoice} data={choices} />;
  }
  const onText = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
    onChange(currentTarget.value);
  if (kind === 'lines') return <Textarea {...common} onChange={onText} {...growing(20)} />;
  if (kind !== 'secret') {
    const type = kind === 'number' ? 'number' : 'text';
    return <TextInput {...common} onChange={onText} type={type} step="any" />;
  }
  const visibilityToggleButtonProps = { 'aria-label': `Show the ${label}` };
  return <PasswordInput {...common} onChange={onText} autoComplete="off" {...{ visibilityToggleButtonProps }} />;
}

interface BoxesProps extends Omit<FieldInputProps, 'field' | 'text'> {
  label: string;
  description: string | undefined;
  /** The text of the field: of several values, those that are chosen, as a list in JSON. */
  value: string;
}

/** A box alone. */
function Flag({ label, description, value, error, onChange }: BoxesProps) {
  const checked = value === SET;
  return <Checkbox {...{ label, description, error, checked }} onChange={() => onChange(checked ? '' : SET)} />;
}

interface SeveralProps extends BoxesProps {
  choices: readonly { value: string; label: string }[];
}

/** A box for each value. */
function Several({ value, choices, onChange, ...group }: SeveralProps) {
  const values = choices.map((choice) => choice.value);
  return (
    <Checkbox.Group
      {...group}
      value={value ? (JSON.parse(value) as string[]) : []}
      onChange={(chosen) => onChange(textOfSeveral(values, chosen))}
    >
      <Stack gap={4} my="xs">
        {choices.map((choice) => (
          <Checkbox
            key={choice.value}
            value={choice.value}
            label={
              <span className="cell" dir="auto">
                {choice.label}
              </span>
            }
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
