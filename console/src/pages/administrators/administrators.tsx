import { useState } from 'react';
import { api, dataOf, pageOf } from '../../api/client.js';
import { useSession } from '../../app/session.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { ErrorBox } from '../../parts/error-box.js';
import { formatTime } from '../../parts/format.js';
import { KeyForm } from '../../parts/key-form.js';
import { List } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { SectionTitle } from '../../parts/section-title.js';
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
  const [secret, setSecret] = useState<string | null>(null);
  const revoke = useAction((adminKeyId: string) =>
    api.DELETE(`${KEYS}/{adminKeyId}`, { params: { path: { adminKeyId } } }),
  );
  return (
    <>
      <SectionTitle title="Administration keys" />
      <KeyForm
        label="Make an administration key"
        make={async (name) => setSecret((await dataOf(api.POST(KEYS, { body: { name } }))).adminKey)}
      />
      {secret !== null && <ShownOnce what="The key" secret={secret} onClose={() => setSecret(null)} />}
      {revoke.error && <ErrorBox error={revoke.error} />}
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
              <ConfirmButton
                label="Revoke"
                warning="The key stops working at once and for good. Browsers that signed in with it are signed out."
                isBusy={revoke.isPending && revoke.variables === adminKeyId}
                onConfirm={() => revoke.mutate(adminKeyId)}
              />
            ),
          },
        ]}
        empty={{
          text: 'There is only the key in SLIPWAY_ADMIN_KEY. Make one for each person, above or with this request, so that the audit names them:',
          request: { method: 'POST', path: KEYS, access: 'administration', body: { name: 'ada' } },
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
      <SectionTitle title="Signed in to the console" request={{ path: SESSIONS, access: 'administration' }} />
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
                  isBusy={end.isPending && end.variables === consoleSessionId}
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
