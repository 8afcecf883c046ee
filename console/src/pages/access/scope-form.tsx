import { Button, Checkbox, Group, Loader, Stack, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, ApiError, dataOf, type Schemas } from '../../api/client.js';
import { ErrorBox } from '../../parts/error-box.js';
import { faultsByField } from '../../parts/field-faults.js';
import { TableHead } from '../../parts/table-head.js';
import { useAction } from '../../parts/use-action.js';

const PERMISSIONS = '/api/admin/v1/permissions';

/** The members that have a field of their own. */
const FIELDS = ['scopeName', 'description'] as const;

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
  const { data: permissions, error: unread } = useQuery({
    queryKey: ['permissions'],
    queryFn: () => dataOf(api.GET(PERMISSIONS)),
    staleTime: Infinity,
  });
  const action = useAction(() => save(changesOf(begun, draft)));
  const edit = (edited: Partial<Draft>) => setDraft((before) => ({ ...before, ...edited }));
  const faults = faultsByField(action.error, FIELDS);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    action.mutate(undefined, { onSuccess: onDone });
  };
  if (unread && !permissions) return <ErrorBox error={unread} />;
  if (!permissions) return <Loader />;
  return (
    <form onSubmit={submit} aria-label={label}>
      <Stack gap="xs">
        <TextInput
          label="Name of the scope"
          value={draft.scopeName}
          onChange={({ currentTarget }) => edit({ scopeName: currentTarget.value })}
          error={faults.scopeName && `The name ${faults.scopeName}`}
          required
        />
        <TextInput
          label="Description"
          value={draft.description}
          onChange={({ currentTarget }) => edit({ description: currentTarget.value })}
          error={faults.description && `The description ${faults.description}`}
        />
        <Checkbox
          label="Limit the permissions that keys of this scope may give to their own scope"
          checked={draft.ceiling !== null}
          onChange={({ currentTarget }) => edit({ ceiling: currentTarget.checked ? draft.granted : null })}
        />
        <PermissionTable permissions={permissions} draft={draft} onEdit={edit} />
        {action.error && <ErrorBox error={action.error} fields={FIELDS} />}
        <AboveLimit error={action.error} />
        <Group>
          <Button size="xs" type="submit" loading={action.isPending}>
            {label}
          </Button>
          <Button size="xs" variant="default" onClick={onDone}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
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
