import { Checkbox, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ApiError, dataOf, type Schemas } from '../../api/client.js';
import { ActionForm } from '../../parts/action-form.js';
import { Awaited } from '../../parts/awaited.js';
import { TableHead } from '../../parts/table-head.js';

const PERMISSIONS = '/api/admin/v1/permissions';

type YesOrNo = Record<string, 'YES' | 'NO'>;

interface Draft {
  scopeName: string;
  description: string;
  granted: readonly string[];
  /** Null sets no limit. */
  ceiling: readonly string[] | null;
}

const NEW: Draft = { scopeName: '', description: '', granted: [], ceiling: null };

/** The body of the request. Members that the user did not change are left out where the API allows it. */
interface ScopeChanges {
  scopeName: string;
  description?: string;
  permissions: YesOrNo;
  ceiling?: YesOrNo | null;
}

interface ScopeFormProps {
  /** Names the form and its button. */
  label: string;
  /** Is left out for a new scope. */
  scope?: Schemas['AdminScope'];
  save: (changes: ScopeChanges) => Promise<unknown>;
  onDone: () => void;
}

/** Makes or changes a scope: its name, its permissions, and the limit up to which its keys may raise them. */
export function ScopeForm({ label, scope, save, onDone }: ScopeFormProps) {
  // The page reads the scope again meanwhile, and what others change then is none of the user's changes.
  const [begun] = useState(() => (scope ? draftOf(scope) : NEW));
  const [draft, setDraft] = useState(begun);
  const permissions = useQuery({
    queryKey: ['permissions'],
    queryFn: () => dataOf(api.GET(PERMISSIONS)),
    staleTime: Infinity,
  });
  const edit = (edited: Partial<Draft>) => setDraft((before) => ({ ...before, ...edited }));
  return (
    <ActionForm
      label={label}
      fields={{ scopeName: 'The name', description: 'The description' }}
      send={() => save(changesOf(begun, draft))}
      onDone={onDone}
      onCancel={onDone}
    >
      {(faultOf, refusal) => (
        <>
          <TextInput
            label="Name of the scope"
            value={draft.scopeName}
            onChange={({ currentTarget }) => edit({ scopeName: currentTarget.value })}
            error={faultOf('scopeName')}
            required
          />
          <TextInput
            label="Description"
            value={draft.description}
            onChange={({ currentTarget }) => edit({ description: currentTarget.value })}
            error={faultOf('description')}
          />
          <Checkbox
            label="Limit the permissions that keys of this scope may give to their own scope"
            checked={draft.ceiling !== null}
            onChange={({ currentTarget }) => edit({ ceiling: currentTarget.checked ? draft.granted : null })}
          />
          <Awaited of={permissions}>
            {(known) => <PermissionTable permissions={known} draft={draft} onEdit={edit} />}
          </Awaited>
          <AboveLimit error={refusal} />
        </>
      )}
    </ActionForm>
  );
}

interface PermissionTableProps {
  permissions: readonly Schemas['Permission'][];
  draft: Draft;
  onEdit: (edited: Partial<Draft>) => void;
}

/** All permissions with what they allow, and a box for each. A limit has a column of its own. */
function PermissionTable({ permissions, draft: { granted, ceiling }, onEdit }: PermissionTableProps) {
  return (
    <Table aria-label="Permissions of the scope" striped>
      <TableHead titles={['Granted', ...(ceiling ? ['Within the limit'] : []), 'Allows']} />
      <Table.Tbody>
        {permissions.map(({ name, allows, implies }) => (
          <Table.Tr key={name}>
            <Table.Td>
              <Checkbox
                label={name}
                checked={granted.includes(name)}
                onChange={({ currentTarget }) => onEdit({ granted: turned(granted, name, currentTarget.checked) })}
              />
            </Table.Td>
            {ceiling && (
              <Table.Td>
                <Checkbox
                  aria-label={`${name} is within the limit`}
                  checked={ceiling.includes(name)}
                  onChange={({ currentTarget }) => onEdit({ ceiling: turned(ceiling, name, currentTarget.checked) })}
                />
              </Table.Td>
            )}
            <Table.Td>
              {allows}
              {implies.length > 0 && ` Includes ${implies.join(', ')}.`}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** The refusal names the permissions that the limit does not allow. */
function AboveLimit({ error }: { error: Error | null }) {
  const above = error instanceof ApiError ? (error.details.above as string[] | undefined) : undefined;
  return above ? <Text size="sm">Granted, but above the limit: {above.join(', ')}</Text> : null;
}

function draftOf({ scopeName, description, permissions, ceiling }: Schemas['AdminScope']): Draft {
  return { scopeName, description, granted: yesIn(permissions), ceiling: ceiling && yesIn(ceiling) };
}

function yesIn(permissions: YesOrNo): string[] {
  return Object.keys(permissions).filter((name) => permissions[name] === 'YES');
}

function turned(names: readonly string[], name: string, isOn: boolean): string[] {
  const others = names.filter((each) => each !== name);
  return isOn ? [...others, name] : others;
}

function changesOf(begun: Draft, { scopeName, description, granted, ceiling }: Draft): ScopeChanges {
  const taken = begun.granted.filter((name) => !granted.includes(name));
  const given = granted.filter((name) => !begun.granted.includes(name));
  return {
    scopeName: scopeName.trim(),
    ...(description !== begun.description && { description }),
    permissions: { ...all(given, 'YES'), ...all(taken, 'NO') },
    ...(ceiling !== begun.ceiling && { ceiling: ceiling && all(ceiling, 'YES') }),
  };
}

function all(names: readonly string[], value: 'YES' | 'NO'): YesOrNo {
  return Object.fromEntries(names.map((name) => [name, value]));
}
