import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { api, bodyOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { changedIn, type Field, FieldsForm, filledIn, type Texts, textsOf } from '../../parts/fields-form.js';
import { FIELDS, type NewConnection, type Provider, PROVIDERS } from './fields.js';
import { CONNECTION } from './paths.js';

const KEEP = 'Leave it empty to keep the present key.';
const NAMES: readonly Field<keyof NewConnection>[] = [
  { name: 'connectionName', label: 'Name', isRequired: true },
  { name: 'model', label: 'Model', isRequired: true, hint: 'Its name at the provider, such as gpt-5-mini' },
];

/** Creates a connection. Typed texts stay when another provider is chosen. */
export function NewConnectionForm({ onDone }: { onDone: (connectionId?: string) => void }) {
  const { asApp } = useApp();
  const [provider, setProvider] = useState<Provider>('Vendor1');
  const fields: readonly Field[] = FIELDS[provider];
  const create = async (texts: Texts) => {
    const body = {
      provider,
      modelType: 'EASY_INTEGRATION',
      ...filledIn(NAMES, texts),
      fields: filledIn(fields, texts),
    } as NewConnection;
    return (await bodyOf(asApp.POST('/api/public/connections', { body }))).connectionId;
  };
  return (
    <FieldsForm label="Create a connection" fields={[...NAMES, ...fields]} save={create} onDone={onDone}>
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
export function ChangeConnectionForm({ of, onDone }: { of: Schemas['Connection']; onDone: () => void }) {
  const { projectId } = useApp();
  const fields = FIELDS[of.provider].map((field: Field) => withoutSecret(field, of.provider));
  // The page reads the connection again, and what others change meanwhile is none of the user's changes.
  const [shown] = useState(() => textsOf(fields, of.fields));
  const change = (texts: Texts) =>
    api.PATCH(CONNECTION, {
      params: { path: { projectId, connectionId: of.connectionId } },
      body: { fields: changedIn(fields, shown, texts) },
    });
  return <FieldsForm label="Change the fields" fields={fields} shown={shown} save={change} onDone={onDone} />;
}

function withoutSecret(field: Field, provider: Provider): Field {
  if (field.kind !== 'secret') return field;
  const { isRequired: _, ...optional } = field;
  return { ...optional, hint: provider === 'API' ? `${KEEP} Another address needs it again.` : KEEP };
}
