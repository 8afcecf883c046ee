import { Group, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { api, dataOf, pageOf, type Schemas } from '../../api/client.js';
import { filled, type QueryOf } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { ChangeButton } from '../../parts/change-button.js';
import { ConfirmAction } from '../../parts/confirm-action.js';
import { createScope } from '../../parts/first-requests.js';
import { formatTime } from '../../parts/format.js';
import { KeyForm } from '../../parts/key-form.js';
import { List } from '../../parts/list.js';
import { RotateKey } from '../../parts/rotate-key.js';
import { SectionTitle } from '../../parts/section-title.js';
import { type NamedSecret, ShownOnce } from '../../parts/shown-once.js';
import { sortedBy, sortsOf, useSorting } from '../../parts/sorting.js';
import { ThingSelect } from '../../parts/thing-select.js';
import { chosenFrom, type Filter, useFilters } from '../../parts/use-filters.js';
import { ExpiryForm, type Key } from './expiry-form.js';

const KEYS = '/api/admin/v1/apps/{appId}/apikeys';
const SORTS = sortsOf<typeof KEYS>({ createdAt: 'desc', apiKeyName: 'asc', expiresAt: 'asc' });
const FILTERS: readonly Filter<QueryOf<typeof KEYS>>[] = [{ name: 'scopeId', label: 'Scope' }];
/** Chooses no single scope. */
const ALL = { id: '', name: 'All scopes' };

/** The keys of an app, which are made from its scopes. */
export function Keys({ scopes }: { scopes: readonly Schemas['AdminScope'][] }) {
  const [filters, change] = useFilters();
  const { appId } = useApp();
  const [made, setMade] = useState<NamedSecret>();
  /** The key whose expiry the form above the list changes. */
  const [changing, setChanging] = useState<Key>();
  const sorting = useSorting(SORTS);
  const path = { appId };
  const scopeNames = scopes.map(({ scopeName }) => scopeName);
  const chosen = chosenFrom(filters, FILTERS);
  const query = { ...chosen, ...sortedBy(sorting) };
  const revoke = (keyId: string) => api.DELETE(`${KEYS}/{keyId}`, { params: { path: { ...path, keyId } } });
  const rotate = async (keyId: string, name: string, graceSeconds: number) => {
    const params = { path: { ...path, keyId } };
    const { apikey: secret } = await dataOf(api.POST(`${KEYS}/{keyId}/rotate`, { params, body: { graceSeconds } }));
    setMade({ name, secret });
  };
  return (
    <>
      <SectionTitle title="API keys" request={{ path: filled(KEYS, path), query, access: 'administration' }} />
      {scopeNames.length > 0 && <NewKey scopeNames={scopeNames} onMade={setMade} />}
      {made && (
        <ShownOnce
          what={`The key ${made.name}`}
          secret={made.secret}
          remedy="Rotate the key in the list to get another value."
          onClose={() => setMade(undefined)}
        />
      )}
      {changing && <ExpiryForm key={changing.keyId} of={changing} onDone={() => setChanging(undefined)} />}
      <ThingSelect
        label="Keys of"
        value={chosen.scopeId ?? ALL.id}
        things={[ALL, ...scopes.map(({ scopeId: id, scopeName: name }) => ({ id, name }))]}
        onChange={(scopeId) => change({ scopeId })}
      />
      <List
        label="API keys"
        of={['keys', appId, chosen]}
        sorting={sorting}
        read={(cursor) => pageOf(api.GET(KEYS, { params: { path, query: { ...query, cursor } } }))}
        idOf={({ keyId }) => keyId}
        columns={[
          { title: 'Name', cell: ({ apiKeyName }) => apiKeyName, sortBy: 'apiKeyName' },
          { title: 'Key', cell: ({ maskedKey }) => maskedKey },
          { title: 'Scope', cell: ({ scopeName }) => scopeName },
          { title: 'Created', cell: ({ createdAt }) => formatTime(createdAt), kind: 'time', sortBy: 'createdAt' },
          { title: 'Last used', cell: ({ lastUsedAt }) => formatTime(lastUsedAt), kind: 'time' },
          { title: 'Expires', cell: ({ expiresAt }) => formatTime(expiresAt), kind: 'time', sortBy: 'expiresAt' },
          {
            title: 'Actions',
            cell: ({ keyId, apiKeyName, expiresAt }) => (
              <Group gap="xs">
                <RotateKey name={apiKeyName} rotate={(graceSeconds) => rotate(keyId, apiKeyName, graceSeconds)} />
                <ChangeButton
                  variant="default"
                  aria-label={`Set expiry of ${apiKeyName}`}
                  onClick={() => setChanging({ keyId, apiKeyName, expiresAt })}
                >
                  Set expiry
                </ChangeButton>
                <ConfirmAction
                  label="Revoke"
                  row={apiKeyName}
                  warning="The key stops working at once and for good. Its running requests are ended."
                  work={() => revoke(keyId)}
                />
              </Group>
            ),
          },
        ]}
        chosen={chosen}
        empty={emptyOf(appId, scopeNames)}
      />
    </>
  );
}

/** Says how a key is made. The list leaves out those that were revoked. */
function emptyOf(appId: string, [scopeName]: readonly string[]) {
  if (scopeName === undefined) {
    const text = 'This app has no API key. Keys are created from a scope, so begin with one:';
    return { text, request: createScope(appId) };
  }
  const body = { scopeName, apiKeyName: 'server-1' };
  return {
    text: 'This app has no API key. Create one above, or with this request:',
    request: { method: 'POST', path: filled(KEYS, { appId }), access: 'administration', body } as const,
  };
}

interface NewKeyProps {
  scopeNames: readonly string[];
  onMade: (made: NamedSecret) => void;
}

function NewKey({ scopeNames, onMade }: NewKeyProps) {
  const { appId } = useApp();
  const [chosen, setChosen] = useState('');
  // The chosen scope may have been renamed or deleted meanwhile.
  const scopeName = scopeNames.includes(chosen) ? chosen : scopeNames[0]!;
  const make = async (apiKeyName: string, expiresAt: string | undefined) => {
    const body = { scopeName, apiKeyName, ...(expiresAt !== undefined && { expiresAt }) };
    const { apikey: secret } = await dataOf(api.POST(KEYS, { params: { path: { appId } }, body }));
    onMade({ name: apiKeyName, secret });
  };
  return (
    <KeyForm label="Create an API key" make={make} canExpire>
      <NativeSelect
        size="xs"
        label="Scope"
        value={scopeName}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        data={[...scopeNames]}
      />
    </KeyForm>
  );
}
