import { type ReactNode, useState } from 'react';
import { changedIn, type Field, FieldsForm, textsOf } from './fields-form.js';

interface ChangeFormProps {
  /** Names the form and its button. */
  label: string;
  fields: readonly Field[];
  /** The thing as the page shows it, or the part of it that has the fields. */
  of: Readonly<Record<string, unknown>>;
  /** Sends the members that were changed. */
  change: (changed: Record<string, unknown>) => Promise<unknown>;
  onDone: () => void;
  /** Is shown above the fields. */
  children?: ReactNode;
}

/** A form that changes a thing. */
export function ChangeForm({ fields, of, change, ...form }: ChangeFormProps) {
  // The page reads the thing again, and what others change meanwhile is none of the user's changes.
  const [shown] = useState(() => textsOf(fields, of));
  return (
    <FieldsForm {...form} fields={fields} shown={shown} save={(texts) => change(changedIn(fields, shown, texts))} />
  );
}
