import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { ForeignName } from '../../parts/foreign-text.js';
import { formatTime } from '../../parts/format.js';
import { canBeKept } from '../../parts/kept-ids.js';
import { NoneKept, NotKept } from '../../parts/not-kept.js';
import { PageLink, useVisit } from '../../parts/page-link.js';
import { Waterfall } from '../../parts/waterfall.js';
import { traceOptions } from '../traces/requests.js';
import { stepOf } from '../traces/steps.js';

interface OriginProps {
  traceId: string | null;
  sessionId: string | null;
}

/** The ways to the trace and the session to which a call belongs, unless a program has chosen their ids. */
export function Origin({ traceId, sessionId }: OriginProps) {
  const { appId } = useApp();
  return (
    <Group>
      {traceId && canBeKept(traceId) && (
        <PageLink to={`/apps/${appId}/traces`} search={{ trace: traceId }}>
          Show its trace
        </PageLink>
      )}
      {sessionId && canBeKept(sessionId) && <SessionLink sessionId={sessionId} />}
    </Group>
  );
}

/** Names the session by its user and its time. One that is not kept here is named by its page. */
function SessionLink({ sessionId }: { sessionId: string }) {
  const { asApp, appId } = useApp();
  const { data: session } = useQuery({
    queryKey: ['session of a call', appId, sessionId],
    queryFn: async () => {
      const params = { path: { appId }, query: { session_id: sessionId, limit: 1 } };
      const { sessions } = await bodyOf(asApp.GET('/api/public/apps/{appId}/sessions', { params }));
      return sessions[0] ?? null;
    },
  });
  return (
    <PageLink to={`/apps/${appId}/sessions`} search={{ session: sessionId }}>
      {session ? (
        <>
          Session of <ForeignName>{session.user_reference}</ForeignName>, {formatTime(session.created_at)}
        </>
      ) : (
        'Show its session'
      )}
    </PageLink>
  );
}

/** The steps of the trace. A step opens on the page of the trace. */
export function TraceSteps({ traceId }: { traceId: string }) {
  const { asApp, appId } = useApp();
  const { visit } = useVisit();
  const mayBeKept = canBeKept(traceId);
  const { data: trace, error } = useQuery({ ...traceOptions(asApp, appId, traceId), enabled: mayBeKept });
  if (!mayBeKept) return <NoneKept noun="trace" requestId={null} />;
  if (!trace) return error && <NotKept error={error} noun="trace" />;
  if (trace.observations.length === 0) return null;
  const open = (step: string) => visit(`/apps/${appId}/traces`, { trace: traceId, step });
  return <Waterfall steps={trace.observations.map(stepOf)} onOpen={open} />;
}
