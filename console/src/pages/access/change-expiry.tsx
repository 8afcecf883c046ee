import { useState } from 'react';
import { api, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { ChangeButton } from '../../parts/change-button.js';
import { changedIn, type Field, FieldsForm, type Texts, textsOf } from '../../parts/fields-form.js';

type Key = Pick<Schemas['AdminApiKey'], 'keyId' | 'apiKeyName' | 'expiresAt'>;

const FIELDS: readonly Field<keyof Key>[] = [
  { name: 'expiresAt', label: 'Expiry', kind: 'time', hint: 'Without a time, the key does not expire.' },
];

/** Changes when a key expires. Its value stays. */
export function ChangeExpiry({ of }: { of: Key }) {
  const [isChanging, setChanging] = useState(false);
  return (
    <>
      <ChangeButton
        variant="default"
        aria-label={`Set expiry of ${of.apiKeyName}`}
        onClick={() => setChanging(!isChanging)}
      >
        Set expiry
      </ChangeButton>
      {isChanging && <ExpiryForm of={of} onDone={() => setChanging(false)} />}
    </>
  );
}

function ExpiryForm({ of, onDone }: { of: Key; onDone: () => void }) {
  const { appId } = useApp();
  // The page reads the key again, and what others change meanwhile is none of the user's changes.
  const [shown] = useState(() => textsOf(FIELDS, of));
  const change = (texts: Texts) =>
    api.PATCH('/api/admin/v1/apps/{appId}/apikeys/{keyId}', {
      params: { path: { appId, keyId: of.keyId } },
      body: changedIn(FIELDS, shown, texts),
    });
  return <FieldsForm label="Save the expiry" fields={FIELDS} shown={shown} save={change} onDone={onDone} />;
}
