import { Text } from '@mantine/core';
import { api, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { ChangeForm } from '../../parts/change-form.js';
import type { Field } from '../../parts/fields-form.js';
import { ForeignName } from '../../parts/foreign-text.js';

export type Key = Pick<Schemas['AdminApiKey'], 'keyId' | 'apiKeyName' | 'expiresAt'>;

const FIELDS: readonly Field<keyof Key>[] = [
  { name: 'expiresAt', label: 'Expiry', kind: 'time', hint: 'Without a time, the key does not expire.' },
];

/** Changes when a key expires. Its value stays. */
export function ExpiryForm({ of, onDone }: { of: Key; onDone: () => void }) {
  const { appId } = useApp();
  const params = { path: { appId, keyId: of.keyId } };
  return (
    <ChangeForm
      label="Save the expiry"
      fields={FIELDS}
      of={of}
      change={(body) => api.PATCH('/api/admin/v1/apps/{appId}/apikeys/{keyId}', { params, body })}
      onDone={onDone}
    >
      <Text size="sm" className="cell">
        Key: <ForeignName>{of.apiKeyName}</ForeignName>
      </Text>
    </ChangeForm>
  );
}
