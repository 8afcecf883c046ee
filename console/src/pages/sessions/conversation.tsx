import { Group } from '@mantine/core';
import type { Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { Awaited } from '../../parts/awaited.js';
import { ConfirmAction } from '../../parts/confirm-action.js';
import { Empty } from '../../parts/empty.js';
import { Facts } from '../../parts/facts.js';
import { formatCost, formatNumber, formatTime } from '../../parts/format.js';
import { NotKept } from '../../parts/not-kept.js';
import { PageLink } from '../../parts/page-link.js';
import { Page } from '../../parts/page.js';
import { Status } from '../../parts/status.js';
import { requestFor, useTurns } from './requests.js';
import { FurtherTurns, TurnCard } from './turn.js';

/** One session as the conversation that it was, each turn with its trace. */
export function Conversation({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  const { appId } = useApp();
  const { session, turns, error, further } = useTurns(sessionId);
  const request = requestFor(appId, sessionId);
  return (
    <Page title={`Session ${sessionId}`} request={request} back={{ label: 'All sessions', go: onClose }}>
      <Awaited of={{ data: session, error }} missing={(fault) => <UnknownSession id={sessionId} error={fault} />}>
        {(session) => (
          <>
            <Facts
              isRow
              of={{
                Status: <Status of={session.status} />,
                User: session.user_reference,
                Reference: session.session_reference,
                Environment: session.environment,
                Source: session.source,
                Started: formatTime(session.created_at),
                Turns: formatNumber(session.totals.turns),
                Tokens: formatNumber(session.totals.total_tokens),
                Cost: formatCost(session.totals.cost),
              }}
            />
            {session.status !== 'terminated' && <EndSession of={session} />}
            {turns.length === 0 && <NoTurns of={session} />}
            {turns.map((turn, at) => (
              <TurnCard key={turn.trace_id} number={at + 1} turn={turn} request={request} />
            ))}
            <FurtherTurns of={further} />
          </>
        )}
      </Awaited>
    </Page>
  );
}

/** The calls that name the session are in the ledger, also if the session is not here. */
function UnknownSession({ id, error }: { id: string; error: Error }) {
  const { appId } = useApp();
  return (
    <>
      <NotKept error={error} noun="session" />
      <PageLink to={`/apps/${appId}/ledger`} search={{ sessionIds: id, period: '30d' }}>
        Show its calls in the ledger
      </PageLink>
    </>
  );
}

type Session = Schemas['SessionDetails']['sessions'][number];

function NoTurns({ of: { session_id: value, environment: envName } }: { of: Session }) {
  const { appId } = useApp();
  const message = { sessionIdentity: [{ type: 'sessionId' as const, value }], input: 'Hello' };
  return (
    <Empty
      text="No message was sent in this session yet. Send one:"
      request={{
        method: 'POST',
        path: filled('/api/v2/apps/{appId}/environments/{envName}/runs', { appId, envName }),
        access: 'key',
        body: message,
      }}
    />
  );
}

/** Ends the session as its app does. Its record and its traces stay. */
function EndSession({ of: { session_id: value, environment: envName } }: { of: Session }) {
  const { asApp, appId } = useApp();
  const end = () =>
    asApp.POST('/api/v2/apps/{appId}/environments/{envName}/sessions/terminate', {
      params: { path: { appId, envName } },
      body: { sessionIdentity: [{ type: 'sessionId', value }] },
    });
  return (
    <Group>
      <ConfirmAction label="End the session" work={end} />
    </Group>
  );
}
