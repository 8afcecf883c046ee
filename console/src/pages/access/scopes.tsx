import { Table, Title } from '@mantine/core';
import { useState } from 'react';
import { api, ApiError, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { ChangeButton } from '../../parts/change-button.js';
import { ShortText } from '../../parts/foreign-text.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { Empty } from '../../parts/empty.js';
import { createScope } from '../../parts/first-requests.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Facts } from '../../parts/facts.js';
import { formatTime } from '../../parts/format.js';
import { SectionTitle } from '../../parts/section-title.js';
import { SidePanel } from '../../parts/side-panel.js';
import { useAction } from '../../parts/use-action.js';
import { useFilters, useOpen } from '../../parts/use-filters.js';
import { WideTable } from '../../parts/wide-table.js';
import { ScopeForm } from './scope-form.js';

export const SCOPES = '/api/admin/v1/apps/{appId}/scopes';

type Scope = Schemas['AdminScope'];

/** The list of scopes has all of them, so one that is not in it is gone. */
const MISSING = new ApiError(404, 'SCOPE_NOT_FOUND', 'The app has no scope with this id.', null);

/** The scopes of an app: which permissions each has, and the forms that make and change them. */
export function Scopes({ scopes }: { scopes: readonly Scope[] }) {
  const { appId } = useApp();
  const [{ scope: opened }, change] = useFilters();
  const open = useOpen();
  const [isMaking, setMaking] = useState(false);
  const scope = scopes.find(({ scopeId }) => scopeId === opened);
  return (
    <>
      <SectionTitle title="Scopes" />
      <Matrix scopes={scopes} opened={opened} onOpen={(scopeId) => open({ scope: scopeId })} />
      {isMaking ? (
        <ScopeForm
          label="Create the scope"
          save={(body) => api.POST(SCOPES, { params: { path: { appId } }, body })}
          onDone={() => setMaking(false)}
        />
      ) : (
        <ChangeButton w="max-content" onClick={() => setMaking(true)}>
          New scope
        </ChangeButton>
      )}
      {opened !== undefined && !scope && (
        <SidePanel
          title="Scope"
          request={{ path: filled(SCOPES, { appId }), access: 'administration' }}
          onClose={() => change({ scope: undefined })}
        >
          <ErrorBox error={MISSING} />
        </SidePanel>
      )}
      {scope && <ScopePanel key={scope.scopeId} scope={scope} onClose={() => change({ scope: undefined })} />}
    </>
  );
}

interface MatrixProps {
  scopes: readonly Scope[];
  /** The id of the scope that is opened beside the table. */
  opened: string | undefined;
  onOpen: (scopeId: string) => void;
}

/** All permissions, and which scope has them. */
function Matrix({ scopes, opened, onOpen }: MatrixProps) {
  const { appId } = useApp();
  const [first] = scopes;
  if (!first) {
    return (
      <Empty
        text="This app has no scope yet. Create one, below or with this request, and create keys from it:"
        request={createScope(appId)}
      />
    );
  }
  return (
    <WideTable label="Permissions by scope" minWidth={500}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Permission</Table.Th>
          {scopes.map(({ scopeId, scopeName }) => (
            <Table.Th key={scopeId} className="cell" dir="auto" aria-current={scopeId === opened ? true : undefined}>
              <button type="button" className="link" onClick={() => onOpen(scopeId)}>
                <ShortText>{scopeName}</ShortText>
              </button>
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {Object.keys(first.permissions).map((permission) => (
          <Table.Tr key={permission}>
            <Table.Td>{permission}</Table.Td>
            {scopes.map(({ scopeId, permissions }) => (
              <Table.Td key={scopeId} data-opened={scopeId === opened || undefined}>
                {permissions[permission as keyof typeof permissions] === 'YES' ? 'yes' : ''}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function ScopePanel({ scope, onClose }: { scope: Scope; onClose: () => void }) {
  const { appId, scopeId } = scope;
  const path = `${SCOPES}/{scopeId}` as const;
  const params = { path: { appId, scopeId } };
  const remove = useAction(() => api.DELETE(path, { params }));
  return (
    <SidePanel
      title={scope.scopeName}
      request={{ path: filled(path, { appId, scopeId }), access: 'administration' }}
      onClose={onClose}
    >
      <Facts of={{ Id: scopeId, Created: formatTime(scope.createdAt) }} />
      <ScopeForm
        label="Save the scope"
        scope={scope}
        save={(body) => api.PATCH(path, { params, body })}
        onDone={onClose}
      />
      <Title order={3} size="h5" mt="md" mb="xs">
        Delete the scope and revoke its keys
      </Title>
      {remove.error && <ErrorBox error={remove.error} />}
      <ConfirmButton
        label="Delete"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      />
    </SidePanel>
  );
}
