import { NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { api, bodyOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { ChangeForm } from '../../parts/change-form.js';
import { type Field, FieldsForm, filledIn, type Texts } from '../../parts/fields-form.js';
import { CONNECTION } from './requests.js';
import { fieldsOf, OfProtocols, type Protocol } from './protocols.js';

type NewConnection = Schemas['CreateConnectionInput'];

const KEEP = 'Leave it empty to keep the present key.';
const NAMES: readonly Field<keyof NewConnection>[] = [
  { name: 'connectionName', label: 'Name', isRequired: true },
  { name: 'model', label: 'Model', isRequired: true, hint: 'Its name at the provider, such as gpt-5-mini' },
];

interface NewConnectionFormProps {
  onDone: (connectionId?: string) => void;
}

export function NewConnectionForm({ onDone }: NewConnectionFormProps) {
  return <OfProtocols>{(protocols) => <CreateForm protocols={protocols} onDone={onDone} />}</OfProtocols>;
}

/** Creates a connection. Typed texts stay when another provider is chosen. */
function CreateForm({ protocols, onDone }: NewConnectionFormProps & { protocols: readonly Protocol[] }) {
  const { asApp } = useApp();
  const [protocol, setProtocol] = useState(protocols[0]!);
  const fields = fieldsOf(protocol);
  const create = async (texts: Texts) => {
    // The API says only when it runs which providers there are, and which fields they need.
    const body = {
      ...filledIn<NewConnection>(NAMES, texts),
      provider: protocol.provider,
      modelType: 'EASY_INTEGRATION',
      fields: filledIn<Record<string, unknown>>(fields, texts),
    } as NewConnection;
    return (await bodyOf(asApp.POST('/api/public/connections', { body }))).connectionId;
  };
  return (
    <FieldsForm label="Create a connection" fields={[...NAMES, ...fields]} save={create} onDone={onDone}>
      <NativeSelect
        label="Provider"
        value={protocol.provider}
        onChange={({ currentTarget }) =>
          setProtocol(protocols.find(({ provider }) => provider === currentTarget.value)!)
        }
        data={protocols.map(({ provider: value, title: label }) => ({ value, label }))}
      />
    </FieldsForm>
  );
}

interface ChangeConnectionFormProps {
  of: Schemas['Connection'];
  onDone: () => void;
}

export function ChangeConnectionForm({ of, onDone }: ChangeConnectionFormProps) {
  return (
    <OfProtocols>
      {(protocols) => {
        const protocol = protocols.find(({ provider }) => provider === of.provider);
        if (protocol) return <ChangeFieldsForm protocol={protocol} of={of} onDone={onDone} />;
        return <Text>The plugin that brought the provider {of.provider} is not installed.</Text>;
      }}
    </OfProtocols>
  );
}

/**
 * Changes the fields of a connection. Its key is not shown, and stays as it is unless another one is typed. The secrets
 * in its headers are shown masked, and a mask that is sent keeps its secret.
 */
function ChangeFieldsForm({ protocol, of, onDone }: ChangeConnectionFormProps & { protocol: Protocol }) {
  const { projectId } = useApp();
  const params = { path: { projectId, connectionId: of.connectionId } };
  return (
    <ChangeForm
      label="Change the fields"
      fields={fieldsOf(protocol).map((field) => withoutSecret(field, protocol))}
      of={of.fields}
      change={(fields) => api.PATCH(CONNECTION, { params, body: { fields } })}
      onDone={onDone}
    />
  );
}

function withoutSecret(field: Field, { addresses }: Protocol): Field {
  if (field.kind !== 'secret') return field;
  const { isRequired: _, ...optional } = field;
  return { ...optional, hint: addresses.length > 0 ? `${KEEP} Another address needs it again.` : KEEP };
}
