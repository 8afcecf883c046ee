import { Group, Textarea } from '@mantine/core';
import { useState } from 'react';
import { api, dataOf, pageOf, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { ChangeButton } from '../../parts/change-button.js';
import { ChangeForm } from '../../parts/change-form.js';
import { ConfirmAction } from '../../parts/confirm-action.js';
import { type Field, FieldsForm, filledIn, NAME, type Texts } from '../../parts/fields-form.js';
import { formatTime } from '../../parts/format.js';
import { growing } from '../../parts/growing.js';
import { List } from '../../parts/list.js';
import { RotateKey, warningOfPublicKey } from '../../parts/rotate-key.js';
import { SectionTitle } from '../../parts/section-title.js';
import { type NamedSecret, ShownOnce } from '../../parts/shown-once.js';
import { sortedBy, sortsOf, useSorting } from '../../parts/sorting.js';
import { JWT_CLIENT, JWT_CLIENTS } from './requests.js';

type JwtClient = Schemas['JwtClient'];
type NewJwtClient = Schemas['NewJwtClient'];

const SORTS = sortsOf<typeof JWT_CLIENTS>({ createdAt: 'desc', name: 'asc' }, 'clientSort');
/** The claims that tokens need. */
const CLAIMS: readonly Field<keyof Schemas['ChangeJwtClientInput']>[] = [
  { name: 'requireExp', label: 'Tokens need the claim exp', kind: 'flag', none: false },
  {
    name: 'enforceJti',
    label: 'Tokens need the claim jti',
    kind: 'flag',
    hint: 'Each token is accepted once, and needs an exp or iat, too.',
    none: false,
  },
];

const FIELDS: readonly Field<keyof Schemas['CreateJwtClientInput']>[] = [
  NAME,
  {
    name: 'algorithm',
    label: 'Algorithm',
    values: ['HS256', 'RS256'],
    hint: 'A client with HS256 gets a secret. One with RS256 brings its own public key.',
  },
  { name: 'publicKey', label: 'Public key', kind: 'lines', hint: 'An RSA public key in PEM, for RS256 alone' },
  ...CLAIMS,
];

/** The key of a client is changed by its rotation. */
const CHANGEABLE = [NAME, ...CLAIMS];

/** The clients of the project that sign the tokens with which conversations are reported, to any of its bots. */
export function JwtClients() {
  const { projectId } = useApp();
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<NamedSecret>();
  /** The client that the form above the list changes. */
  const [changing, setChanging] = useState<JwtClient>();
  const sorting = useSorting(SORTS);
  const path = filled(JWT_CLIENTS, { projectId });
  const show = ({ algorithm, name, clientSecret }: NewJwtClient) => {
    // A client with RS256 signs with its own private key. The secret of another client stays shown.
    if (algorithm === 'HS256') setMade({ name, secret: clientSecret });
  };
  const close = (client?: NewJwtClient) => {
    setMaking(false);
    if (client) show(client);
  };
  return (
    <>
      <SectionTitle title="JWT clients" request={{ path, query: sortedBy(sorting), access: 'administration' }} />
      {isMaking ? (
        <NewClientForm onDone={close} />
      ) : (
        <ChangeButton w="max-content" onClick={() => setMaking(true)}>
          New JWT client
        </ChangeButton>
      )}
      {made && (
        <ShownOnce
          what={`The secret of ${made.name}`}
          secret={made.secret}
          remedy="Rotate the secret in the list to get another one."
          onClose={() => setMade(undefined)}
        />
      )}
      {changing && <ChangeClientForm key={changing.clientId} of={changing} onDone={() => setChanging(undefined)} />}
      <List
        label="JWT clients"
        of={['jwt-clients', projectId]}
        sorting={sorting}
        read={(cursor) =>
          pageOf(api.GET(JWT_CLIENTS, { params: { path: { projectId }, query: { ...sortedBy(sorting), cursor } } }))
        }
        idOf={({ clientId }) => clientId}
        columns={[
          { title: 'Name', cell: ({ name }) => name, sortBy: 'name' },
          { title: 'Id', cell: ({ clientId }) => clientId },
          { title: 'Algorithm', cell: ({ algorithm }) => algorithm },
          { title: 'Key', cell: ({ keyHint }) => keyHint },
          { title: 'Tokens need', cell: claimsOf },
          { title: 'Old key ends', cell: ({ previousKeyUntil }) => formatTime(previousKeyUntil), kind: 'time' },
          {
            title: 'Actions',
            cell: (client) => <Actions of={client} onChange={() => setChanging(client)} onRotated={show} />,
          },
        ]}
        empty={{
          text: 'This project has no JWT client yet. Create one above, or with this request:',
          request: { method: 'POST', path, access: 'administration', body: { name: 'Contact centre' } },
        }}
      />
    </>
  );
}

function claimsOf({ requireExp, enforceJti }: JwtClient): string {
  return [requireExp && 'exp', enforceJti && 'jti'].filter(Boolean).join(', ') || '–';
}

function NewClientForm({ onDone }: { onDone: (client?: NewJwtClient) => void }) {
  const { projectId } = useApp();
  const create = (texts: Texts) => {
    const body = filledIn<Schemas['CreateJwtClientInput']>(FIELDS, texts);
    return dataOf(api.POST(JWT_CLIENTS, { params: { path: { projectId } }, body }));
  };
  return <FieldsForm label="Create a JWT client" fields={FIELDS} save={create} onDone={onDone} />;
}

interface ActionsProps {
  of: JwtClient;
  onChange: () => void;
  onRotated: (client: NewJwtClient) => void;
}

function Actions({ of, onChange, onRotated }: ActionsProps) {
  const [publicKey, setPublicKey] = useState('');
  const { clientId, name, algorithm } = of;
  const params = { path: { clientId } };
  const hasOwnKey = algorithm === 'RS256';
  const rotate = async (graceSeconds: number) => {
    const body = { graceSeconds, ...(hasOwnKey && { publicKey: publicKey.trim() }) };
    onRotated(await dataOf(api.POST(`${JWT_CLIENT}/rotate`, { params, body })));
  };
  return (
    <Group gap="xs">
      <ChangeButton variant="default" aria-label={`Change ${name}`} onClick={onChange}>
        Change
      </ChangeButton>
      {hasOwnKey ? (
        <RotateKey
          name={name}
          noun="public key"
          warningOf={warningOfPublicKey}
          rotate={rotate}
          isIncomplete={publicKey.trim() === ''}
          forget={() => setPublicKey('')}
        >
          <Textarea
            size="xs"
            label="New public key"
            required
            value={publicKey}
            onChange={({ currentTarget }) => setPublicKey(currentTarget.value)}
            {...growing(8)}
          />
        </RotateKey>
      ) : (
        <RotateKey name={name} rotate={rotate} />
      )}
      <ConfirmAction
        label="Revoke"
        row={name}
        warning="The tokens of the client are refused at once and for good."
        work={() => api.DELETE(JWT_CLIENT, { params })}
      />
    </Group>
  );
}

function ChangeClientForm({ of, onDone }: { of: JwtClient; onDone: () => void }) {
  const params = { path: { clientId: of.clientId } };
  return (
    <ChangeForm
      label="Change the JWT client"
      fields={CHANGEABLE}
      of={of}
      change={(body) => api.PATCH(JWT_CLIENT, { params, body })}
      onDone={onDone}
    />
  );
}
