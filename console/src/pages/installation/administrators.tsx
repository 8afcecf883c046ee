import { Button, Group, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { api, dataOf, pageOf } from '../../api/client.js';
import { useSession } from '../../app/session.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { ErrorBox } from '../../parts/error-box.js';
import { formatTime } from '../../parts/format.js';
import { List } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { useAction } from '../../parts/use-action.js';

const KEYS = '/api/admin/v1/admin-keys';
const SESSIONS = '/api/admin/v1/console-sessions';

export default function AdministratorsPage() {
  return (
    <Page title="Administrators" request={{ path: KEYS, access: 'administration' }}>
      <Keys />
      <Sessions />
    </Page>
  );
}

function Keys() {
  const [name, setName] = useState('');
  const [secret, setSecret] = useState<string | null>(null);
  const make = useAction(async () => {
    const made = await dataOf(api.POST(KEYS, { body: { name: name.trim() } }));
    setSecret(made.adminKey);
    setName('');
  });
  const revoke = useAction((adminKeyId: string) =>
    api.DELETE(`${KEYS}/{adminKeyId}`, { params: { path: { adminKeyId } } }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  const error = make.error ?? revoke.error;
  return (
    <>
      <Title order={2} size="h4">
        Administration keys
      </Title>
      <form onSubmit={submit} aria-label="Make an administration key">
        <Group align="end">
          <TextInput
            size="xs"
            label="Name"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            required
          />
          <Button size="xs" type="submit" loading={make.isPending}>
            Make a key
          </Button>
        </Group>
      </form>
      {secret !== null && <ShownOnce what="The key" secret={secret} onClose={() => setSecret(null)} />}
      {error && <ErrorBox error={error} />}
      <List
        label="Administration keys"
        of={['admin-keys']}
        read={(cursor) => pageOf(api.GET(KEYS, { params: { query: { cursor } } }))}
        idOf={({ adminKeyId }) => adminKeyId}
        columns={[
          { title: 'Name', cell: (key) => key.name },
          { title: 'Id', cell: ({ adminKeyId }) => adminKeyId },
          { title: 'Created', cell: ({ createdAt }) => formatTime(createdAt) },
          {
            title: 'Action',
            cell: ({ adminKeyId }) => (
              <ConfirmButton label="Revoke" isBusy={revoke.isPending} onConfirm={() => revoke.mutate(adminKeyId)} />
            ),
          },
        ]}
        empty={{
          text: 'Only the key in SLIPWAY_ADMIN_KEY administers. Make one for each person, so that the audit names them.',
        }}
      />
    </>
  );
}

function Sessions() {
  const { session } = useSession();
  const end = useAction((consoleSessionId: string) =>
    api.DELETE(`${SESSIONS}/{consoleSessionId}`, { params: { path: { consoleSessionId } } }),
  );
  return (
    <>
      <Title order={2} size="h4">
        Signed in to the console
      </Title>
      {end.error && <ErrorBox error={end.error} />}
      <List
        label="Console sessions"
        of={['console-sessions']}
        read={(cursor) => pageOf(api.GET(SESSIONS, { params: { query: { cursor } } }))}
        idOf={({ consoleSessionId }) => consoleSessionId}
        columns={[
          { title: 'Key', cell: ({ name }) => name ?? 'SLIPWAY_ADMIN_KEY' },
          { title: 'Browser', cell: ({ userAgent }) => userAgent },
          { title: 'Since', cell: ({ createdAt }) => formatTime(createdAt) },
          { title: 'Until', cell: ({ expiresAt }) => formatTime(expiresAt) },
          {
            title: 'Action',
            cell: ({ consoleSessionId }) =>
              consoleSessionId === session?.consoleSessionId ? (
                'This browser'
              ) : (
                <ConfirmButton
                  label="End the session"
                  isBusy={end.isPending}
                  onConfirm={() => end.mutate(consoleSessionId)}
                />
              ),
          },
        ]}
        empty={{ text: 'No browser is signed in.' }}
      />
    </>
  );
}
