import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { api, dataOf, pageOf, type Schemas } from '../../api/client.js';
import type { QueryOf, SortOf } from '../../api/path.js';
import { useProjects } from '../../api/use-projects.js';
import { useSession } from '../../app/session.js';
import { ConfirmAction } from '../../parts/confirm-action.js';
import { FilterBar } from '../../parts/filter-bar.js';
import { formatTime } from '../../parts/format.js';
import { KeyForm } from '../../parts/key-form.js';
import { KeyName } from '../../parts/key-name.js';
import { List } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { SectionTitle } from '../../parts/section-title.js';
import { type NamedSecret, ShownOnce } from '../../parts/shown-once.js';
import { sortedBy, type Sorting, sortsOf, useSorting } from '../../parts/sorting.js';
import { ThingSelect } from '../../parts/thing-select.js';
import { chosenFrom, type Filter, useFilters } from '../../parts/use-filters.js';
import { HeldRoles } from './held-roles.js';

const KEYS = '/api/admin/v1/admin-keys';
const SESSIONS = '/api/admin/v1/console-sessions';
const KEY_SORTS = sortsOf<typeof KEYS>({ createdAt: 'desc', name: 'asc', role: 'asc' });
const SESSION_SORTS = sortsOf<typeof SESSIONS>({ createdAt: 'desc', expiresAt: 'asc' }, 'sessionSort');
/** Chooses no single project. */
const ALL = '';
const ROLES = ['owner', 'operator', 'auditor', 'viewer'] as const;
const KEY_FILTERS: readonly Filter<QueryOf<typeof KEYS>>[] = [{ name: 'role', label: 'Role', values: ROLES }];

export default function AdministratorsPage() {
  const [filters] = useFilters();
  const sorting = useSorting(KEY_SORTS);
  const chosen = chosenFrom(filters, KEY_FILTERS);
  const query = { ...chosen, ...sortedBy(sorting) };
  return (
    <Page title="Administrators" request={{ path: KEYS, query, access: 'administration' }}>
      <Keys sorting={sorting} chosen={chosen} />
      <Sessions />
    </Page>
  );
}

function rolesOfKey({ role, projectId }: Schemas['AdminKey']) {
  return projectId === null ? { role, projectRoles: [] } : { role: null, projectRoles: [{ projectId, role }] };
}

interface KeysProps {
  sorting: Sorting<SortOf<typeof KEYS>>;
  chosen: Partial<QueryOf<typeof KEYS>>;
}

function Keys({ sorting, chosen }: KeysProps) {
  const [made, setMade] = useState<NamedSecret>();
  const [role, setRole] = useState<(typeof ROLES)[number]>('operator');
  const [projectId, setProjectId] = useState(ALL);
  const { data: projects = [] } = useProjects();
  const revoke = (adminKeyId: string) => api.DELETE(`${KEYS}/{adminKeyId}`, { params: { path: { adminKeyId } } });
  const make = async (name: string) => {
    const { adminKey: secret } = await dataOf(
      api.POST(KEYS, { body: { name, role, ...(projectId !== ALL && { projectId }) } }),
    );
    setMade({ name, secret });
  };
  return (
    <>
      <SectionTitle title="Administration keys" />
      <KeyForm label="Create an administration key" make={make}>
        <NativeSelect
          size="xs"
          label="Role"
          value={role}
          onChange={({ currentTarget }) => setRole(currentTarget.value as typeof role)}
          data={[...ROLES]}
        />
        <ThingSelect
          label="In"
          value={projectId}
          things={[{ id: ALL, name: 'All projects' }, ...projects]}
          onChange={setProjectId}
        />
      </KeyForm>
      {made && (
        <ShownOnce
          what={`The key ${made.name}`}
          secret={made.secret}
          remedy="Revoke the key in the list, and create another one."
          onClose={() => setMade(undefined)}
        />
      )}
      <FilterBar filters={KEY_FILTERS} />
      <List
        label="Administration keys"
        of={['admin-keys', chosen]}
        sorting={sorting}
        read={(cursor) => pageOf(api.GET(KEYS, { params: { query: { ...chosen, ...sortedBy(sorting), cursor } } }))}
        idOf={({ adminKeyId }) => adminKeyId}
        columns={[
          { title: 'Name', cell: (key) => key.name, sortBy: 'name' },
          { title: 'Role', cell: (key) => <HeldRoles {...rolesOfKey(key)} />, sortBy: 'role' },
          { title: 'Id', cell: ({ adminKeyId }) => adminKeyId, kind: 'id' },
          { title: 'Created', cell: ({ createdAt }) => formatTime(createdAt), kind: 'time', sortBy: 'createdAt' },
          {
            title: 'Action',
            cell: ({ adminKeyId, name }) => (
              <ConfirmAction
                label="Revoke"
                row={name}
                warning="The key stops working at once and for good. Browsers that signed in with it are signed out."
                work={() => revoke(adminKeyId)}
              />
            ),
          },
        ]}
        chosen={chosen}
        empty={{
          text: 'There is only the key in SLIPWAY_ADMIN_KEY. Create one for each person, above or with this request, so that the audit names them:',
          request: { method: 'POST', path: KEYS, access: 'administration', body: { name: 'ada', role: 'operator' } },
        }}
      />
    </>
  );
}

function Sessions() {
  const { session } = useSession();
  const sorting = useSorting(SESSION_SORTS);
  const end = (consoleSessionId: string) =>
    api.DELETE(`${SESSIONS}/{consoleSessionId}`, { params: { path: { consoleSessionId } } });
  return (
    <>
      <SectionTitle
        title="Signed in to the console"
        request={{ path: SESSIONS, query: sortedBy(sorting), access: 'administration' }}
      />
      <List
        label="Console sessions"
        of={['console-sessions']}
        sorting={sorting}
        read={(cursor) => pageOf(api.GET(SESSIONS, { params: { query: { ...sortedBy(sorting), cursor } } }))}
        idOf={({ consoleSessionId }) => consoleSessionId}
        columns={[
          { title: 'Name', cell: ({ name }) => <KeyName of={name} /> },
          { title: 'Signed in by', cell: ({ identity }) => identity },
          { title: 'Role', cell: (each) => <HeldRoles {...each} /> },
          { title: 'Browser', cell: ({ userAgent }) => userAgent },
          { title: 'Since', cell: ({ createdAt }) => formatTime(createdAt), kind: 'time', sortBy: 'createdAt' },
          { title: 'Until', cell: ({ expiresAt }) => formatTime(expiresAt), kind: 'time', sortBy: 'expiresAt' },
          {
            title: 'Action',
            cell: ({ consoleSessionId, name, userAgent }) =>
              consoleSessionId === session?.consoleSessionId ? (
                'This browser'
              ) : (
                <ConfirmAction
                  label="End the session"
                  row={`${name ?? 'SLIPWAY_ADMIN_KEY'}, ${userAgent}`}
                  work={() => end(consoleSessionId)}
                />
              ),
          },
        ]}
        empty={{ text: 'No browser is signed in.' }}
      />
    </>
  );
}
