import { api, dataOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { ChangeButton } from '../../parts/change-button.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Facts } from '../../parts/facts.js';
import { formatDuration, formatTime } from '../../parts/format.js';
import { Outcome } from '../../parts/outcome.js';
import { Status } from '../../parts/status.js';
import { SwitchedPage } from '../../parts/switched-page.js';
import { useAction } from '../../parts/use-action.js';
import { ChangeConnectionForm, NewConnectionForm } from './form.js';
import { ConnectionFields } from './fields.js';
import { CONNECTION, useConnections } from './requests.js';

export default function ConnectionsPage() {
  return (
    <SwitchedPage
      title="Connections"
      noun="connection"
      requests={useConnections()}
      idOf={({ connectionId }) => connectionId}
      nameOf={({ connectionName }) => connectionName}
      columns={[
        { title: 'Name', cell: ({ connectionName }) => connectionName, sortBy: 'connectionName' },
        { title: 'Provider', cell: ({ provider }) => provider, sortBy: 'provider' },
        { title: 'Model', cell: ({ model }) => model, sortBy: 'model' },
        { title: 'Status', cell: ({ status }) => <Status of={status} /> },
        { title: 'Changed', cell: ({ modifiedOn }) => formatTime(modifiedOn), kind: 'time', sortBy: 'modifiedOn' },
      ]}
      empty={{
        text: 'This project reaches no model provider yet. Create a connection above, or with this request:',
        request: {
          method: 'POST',
          path: '/api/public/connections',
          access: 'key',
          body: {
            connectionName: 'OpenAI',
            provider: 'Vendor1',
            model: 'gpt-5-mini',
            fields: { API_KEY: 'KEY_OF_THE_PROVIDER' },
          },
        },
      }}
      newForm={(onDone) => <NewConnectionForm onDone={onDone} />}
      changeForm={(connection, onDone) => <ChangeConnectionForm of={connection} onDone={onDone} />}
      facts={(connection) => (
        <>
          <ConnectionFacts of={connection} />
          <ConnectionFields of={connection} />
        </>
      )}
      check={(connection) => <Test of={connection} />}
    />
  );
}

function ConnectionFacts({ of }: { of: Schemas['Connection'] }) {
  return (
    <Facts
      of={{
        Id: of.connectionId,
        Status: <Status of={of.status} />,
        Provider: of.provider,
        Model: of.model,
        Created: formatTime(of.createdOn),
        Warnings: of.warnings?.map(({ message }) => message).join(' '),
      }}
    />
  );
}

function Test({ of: { connectionId } }: { of: Schemas['Connection'] }) {
  const { projectId } = useApp();
  const params = { path: { projectId, connectionId } };
  const test = useAction(() => dataOf(api.POST(`${CONNECTION}/test`, { params })));
  return (
    <>
      <ChangeButton w="max-content" loading={test.isPending} onClick={() => test.mutate()}>
        Test the connection
      </ChangeButton>
      {test.error && <ErrorBox error={test.error} />}
      {test.data && <Tested of={test.data} />}
    </>
  );
}

function Tested({ of }: { of: Schemas['ConnectionTested'] }) {
  const { ok, reason, model, latencyMs } = of;
  return (
    <Outcome
      title="Outcome of the test"
      facts={{
        Result: <Status of={ok ? 'SUCCESS' : 'FAILED'} />,
        Reason: reason,
        Model: model,
        Latency: formatDuration(latencyMs),
      }}
      answer={of}
    />
  );
}
