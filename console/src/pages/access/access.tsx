import { Button, Group, NativeSelect, Table, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, dataOf, pageOf } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { readAll } from '../../api/read-all.js';
import { useApp } from '../../app/app-context.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { Empty } from '../../parts/empty.js';
import { ErrorBox } from '../../parts/error-box.js';
import { formatTime } from '../../parts/format.js';
import { List } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { useAction } from '../../parts/use-action.js';

const SCOPES = '/api/admin/v1/apps/{appId}/scopes';
const KEYS = '/api/admin/v1/apps/{appId}/apikeys';

export default function AccessPage() {
  const { appId } = useApp();
  const { data: scopes, error } = useQuery({
    queryKey: ['scopes', appId],
    queryFn: () =>
      readAll((cursor) => pageOf(api.GET(SCOPES, { params: { path: { appId }, query: { limit: 100, cursor } } }))),
  });
  return (
    <Page title="Access" request={{ path: filled(SCOPES, { appId }), access: 'administration' }}>
      {error && <ErrorBox error={error} />}
      {scopes && <Keys scopeNames={scopes.map(({ scopeName }) => scopeName)} />}
      {scopes && <ScopeMatrix scopes={scopes} />}
    </Page>
  );
}

interface Scope {
  scopeId: string;
  scopeName: string;
  permissions: Record<string, 'YES' | 'NO'>;
}

/** All permissions, and which scope has them. */
function ScopeMatrix({ scopes }: { scopes: readonly Scope[] }) {
  const { appId } = useApp();
  const [first] = scopes;
  if (!first) {
    const body = { scopeName: 'Backend', permissions: { RUN_API: 'YES' } };
    const path = filled(SCOPES, { appId });
    return (
      <Empty
        text="This app has no scope yet. Create one, and make keys from it:"
        request={{ method: 'POST', path, access: 'administration', body }}
      />
    );
  }
  return (
    <>
      <Title order={2} size="h4">
        Scopes
      </Title>
      <Table.ScrollContainer minWidth={500} tabIndex={0} role="region" aria-label="Permissions by scope, scrollable">
        <Table aria-label="Permissions by scope" striped>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Permission</Table.Th>
              {scopes.map(({ scopeId, scopeName }) => (
                <Table.Th key={scopeId} className="cell" dir="auto">
                  {scopeName}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {Object.keys(first.permissions).map((permission) => (
              <Table.Tr key={permission}>
                <Table.Td>{permission}</Table.Td>
                {scopes.map(({ scopeId, permissions }) => (
                  <Table.Td key={scopeId}>{permissions[permission] === 'YES' ? 'yes' : ''}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  );
}

function Keys({ scopeNames }: { scopeNames: readonly string[] }) {
  const { appId } = useApp();
  const [secret, setSecret] = useState<string | null>(null);
  const path = { appId };
  const revoke = useAction((keyId: string) => api.DELETE(`${KEYS}/{keyId}`, { params: { path: { ...path, keyId } } }));
  const rotate = useAction(async (keyId: string) => {
    const params = { path: { ...path, keyId } };
    setSecret((await dataOf(api.POST(`${KEYS}/{keyId}/rotate`, { params, body: {} }))).apikey);
  });
  const error = revoke.error ?? rotate.error;
  return (
    <>
      <Title order={2} size="h4">
        API keys
      </Title>
      {scopeNames.length > 0 && <NewKey scopeNames={scopeNames} onMade={setSecret} />}
      {secret !== null && <ShownOnce what="The key" secret={secret} onClose={() => setSecret(null)} />}
      {error && <ErrorBox error={error} />}
      <List
        label="API keys"
        of={['keys', appId]}
        read={(cursor) => pageOf(api.GET(KEYS, { params: { path, query: { cursor } } }))}
        idOf={({ keyId }) => keyId}
        columns={[
          { title: 'Name', cell: ({ apiKeyName }) => apiKeyName },
          { title: 'Key', cell: ({ maskedKey }) => maskedKey },
          { title: 'Scope', cell: ({ scopeName }) => scopeName },
          { title: 'Created', cell: ({ createdAt }) => formatTime(createdAt) },
          { title: 'Last used', cell: ({ lastUsedAt }) => formatTime(lastUsedAt) },
          { title: 'Expires', cell: ({ expiresAt }) => formatTime(expiresAt) },
          {
            title: 'Actions',
            cell: ({ keyId }) => (
              <Group gap="xs">
                <ConfirmButton label="Rotate" isBusy={rotate.isPending} onConfirm={() => rotate.mutate(keyId)} />
                <ConfirmButton label="Revoke" isBusy={revoke.isPending} onConfirm={() => revoke.mutate(keyId)} />
              </Group>
            ),
          },
        ]}
        empty={{ text: 'This app has no API key yet.' }}
      />
    </>
  );
}

function NewKey({ scopeNames, onMade }: { scopeNames: readonly string[]; onMade: (secret: string | null) => void }) {
  const { appId } = useApp();
  const [scopeName, setScope] = useState(scopeNames[0]!);
  const [apiKeyName, setName] = useState('');
  const make = useAction(async () => {
    const body = { scopeName, apiKeyName: apiKeyName.trim() };
    onMade((await dataOf(api.POST(KEYS, { params: { path: { appId } }, body }))).apikey);
    setName('');
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <form onSubmit={submit} aria-label="Make an API key">
      <Group align="end">
        <NativeSelect
          size="xs"
          label="Scope"
          value={scopeName}
          onChange={({ currentTarget }) => setScope(currentTarget.value)}
          data={[...scopeNames]}
        />
        <TextInput
          size="xs"
          label="Name"
          value={apiKeyName}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          required
        />
        <Button size="xs" type="submit" loading={make.isPending}>
          Make a key
        </Button>
      </Group>
      {make.error && <ErrorBox error={make.error} />}
    </form>
  );
}
