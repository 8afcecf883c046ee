import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { api, bodyOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { type Field, FieldsForm, filledIn, type Texts } from '../../parts/fields-form.js';
import { formatJson } from '../../parts/format.js';
import { useAction } from '../../parts/use-action.js';
import { FIELDS, type NewConnection, type Provider, PROVIDERS } from './fields.js';

const KEEP = 'Leave it empty to keep the present key.';

/** Creates a connection. Typed texts stay when another provider is chosen, and when the API refuses. */
export function NewConnectionForm({ onDone }: { onDone: (connectionId?: string) => void }) {
  const { asApp } = useApp();
  const [provider, setProvider] = useState<Provider>('Vendor1');
  const [texts, setTexts] = useState<Texts>({});
  const fields: readonly Field[] = FIELDS[provider];
  const create = useAction(async () => {
    const body = {
      provider,
      connectionName: texts.connectionName!.trim(),
      model: texts.model!.trim(),
      modelType: 'EASY_INTEGRATION',
      fields: filledIn(fields, texts),
    } as NewConnection;
    onDone((await bodyOf(asApp.POST('/api/public/connections', { body }))).connectionId);
  });
  return (
    <FieldsForm
      label="Create a connection"
      fields={[
        { name: 'connectionName', label: 'Name', isRequired: true },
        { name: 'model', label: 'Model', isRequired: true, hint: 'Its name at the provider, such as gpt-5-mini' },
        ...fields,
      ]}
      texts={texts}
      onChange={setTexts}
      onSubmit={() => create.mutate()}
      isBusy={create.isPending}
      error={create.error}
      onCancel={() => onDone()}
    >
      <NativeSelect
        label="Provider"
        value={provider}
        onChange={({ currentTarget }) => setProvider(currentTarget.value as Provider)}
        data={Object.entries(PROVIDERS).map(([value, label]) => ({ value, label }))}
      />
    </FieldsForm>
  );
}

/**
 * Changes the fields of a connection. Its key is not shown, and stays as it is unless another one is typed. The secrets
 * in its headers are shown masked, and a mask that is sent keeps its secret.
 */
export function ChangeConnectionForm({ of: present, onDone }: { of: Schemas['Connection']; onDone: () => void }) {
  const { projectId } = useApp();
  // The page reads the connection again, and a field that appears meanwhile is none that the user has emptied.
  const [of] = useState(present);
  const fields: readonly Field[] = FIELDS[of.provider].map((field: Field) => withoutSecret(field, of.provider));
  const shown = fields.filter(({ name, kind }) => kind !== 'secret' && of.fields[name] !== undefined);
  const [texts, setTexts] = useState<Texts>(() =>
    Object.fromEntries(shown.map(({ name }) => [name, formatJson(of.fields[name])])),
  );
  const change = useAction(async () => {
    const path = { projectId, connectionId: of.connectionId };
    const removed = shown.filter(({ name }) => !texts[name]?.trim()).map(({ name }) => [name, null] as const);
    const body = { fields: { ...Object.fromEntries<unknown>(removed), ...filledIn(fields, texts) } };
    await api.PATCH('/api/admin/v1/projects/{projectId}/connections/{connectionId}', { params: { path }, body });
  });
  return (
    <FieldsForm
      label="Change the fields"
      fields={fields}
      texts={texts}
      onChange={setTexts}
      // The page beside the form shows the change before the form is gone.
      onSubmit={() => change.mutate(undefined, { onSuccess: onDone })}
      isBusy={change.isPending}
      error={change.error}
      onCancel={onDone}
    />
  );
}

function withoutSecret(field: Field, provider: Provider): Field {
  if (field.kind !== 'secret') return field;
  const { isRequired: _, ...optional } = field;
  return { ...optional, hint: provider === 'API' ? `${KEEP} Another address needs it again.` : KEEP };
}
