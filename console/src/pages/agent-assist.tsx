import { NativeSelect, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf, pageOf } from '../api/client.js';
import { useApp } from '../app/app-context.js';
import { Empty } from '../parts/empty.js';
import { ErrorBox } from '../parts/error-box.js';
import { Facts } from '../parts/facts.js';
import { formatTime } from '../parts/format.js';
import { List } from '../parts/list.js';
import { Page } from '../parts/page.js';
import { ReadPanel } from '../parts/read-panel.js';
import { REFRESH_MS } from '../parts/refresh.js';
import { Status } from '../parts/status.js';
import { TableHead } from '../parts/table-head.js';
import { useFilters } from '../parts/use-filters.js';

const BOTS = '/api/admin/v1/projects/{projectId}/bots';
const PATH = '/api/admin/v1/bots/{botId}/conversations';

export default function AgentAssistPage() {
  const { projectId } = useApp();
  const [filters, change] = useFilters();
  const { data: bots, error } = useQuery({
    queryKey: ['bots', projectId],
    queryFn: () => dataOf(api.GET(BOTS, { params: { path: { projectId } } })),
  });
  const path = BOTS.replace('{projectId}', projectId);
  const bot = bots?.find(({ botId }) => botId === filters.bot) ?? bots?.[0];
  return (
    <Page title="Agent assist" request={{ path, access: 'administration' }}>
      {error && <ErrorBox error={error} />}
      {bots && !bot && (
        <Empty
          text="No contact centre reports conversations to this project yet. Create a bot:"
          request={{ method: 'POST', path, access: 'administration', body: { name: 'Contact centre' } }}
        />
      )}
      {bots && bot && (
        <>
          <NativeSelect
            size="xs"
            w="max-content"
            label="Bot"
            value={bot.botId}
            onChange={({ currentTarget }) => change({ bot: currentTarget.value })}
            data={bots.map(({ botId, name }) => ({ value: botId, label: name }))}
          />
          <Conversations botId={bot.botId} />
        </>
      )}
    </Page>
  );
}

function Conversations({ botId }: { botId: string }) {
  const [filters, change] = useFilters();
  return (
    <>
      <List
        label="Conversations"
        of={['assist', botId]}
        read={(cursor) => pageOf(api.GET(PATH, { params: { path: { botId }, query: { cursor } } }))}
        idOf={({ conversationId }) => conversationId}
        onOpen={({ conversationId }) => change({ conversation: conversationId })}
        columns={[
          { title: 'Conversation', cell: ({ conversationId }) => conversationId },
          { title: 'Status', cell: ({ status }) => status },
          { title: 'Begun', cell: ({ startedAt }) => formatTime(startedAt) },
          { title: 'Messages', cell: ({ messageCount }) => messageCount, isNumber: true },
          { title: 'Violations', cell: ({ violationCount }) => violationCount, isNumber: true },
        ]}
        empty={{ text: 'No conversation was reported to this bot yet.' }}
      />
      {filters.conversation && (
        <Timeline
          botId={botId}
          conversationId={filters.conversation}
          onClose={() => change({ conversation: undefined })}
        />
      )}
    </>
  );
}

interface TimelineProps {
  botId: string;
  conversationId: string;
  onClose: () => void;
}

function Timeline({ botId, conversationId, onClose }: TimelineProps) {
  const { data, error } = useQuery({
    queryKey: ['assist', botId, conversationId],
    queryFn: () => dataOf(api.GET(`${PATH}/{conversationId}`, { params: { path: { botId, conversationId } } })),
    refetchInterval: REFRESH_MS,
  });
  const path = PATH.replace('{botId}', botId);
  return (
    <ReadPanel
      title={`Conversation ${conversationId}`}
      request={{ path: `${path}/${encodeURIComponent(conversationId)}`, access: 'administration' }}
      data={data}
      error={error}
      onClose={onClose}
    >
      {(data) => (
        <>
          <Facts
            of={{
              Status: <Status of={data.status} />,
              Begun: formatTime(data.startedAt),
              Violations: data.violationCount,
            }}
          />
          <Table aria-label="Timeline">
            <TableHead titles={['Time', 'Event', 'Agent', 'Text', 'Violations']} />
            <Table.Tbody>
              {data.timeline.map(({ seq, at, kind, agent, author, text, violations }) => (
                <Table.Tr key={seq}>
                  <Table.Td>{formatTime(at)}</Table.Td>
                  <Table.Td>{kind}</Table.Td>
                  <Table.Td>{agent?.name ?? agent?.identity ?? author}</Table.Td>
                  <Table.Td className="cell" dir="auto">
                    {text}
                  </Table.Td>
                  <Table.Td>{violations.map(({ code }) => code).join(', ')}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </>
      )}
    </ReadPanel>
  );
}
