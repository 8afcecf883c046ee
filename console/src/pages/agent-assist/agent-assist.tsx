import { Group, Table } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api, dataOf, pageOf, type Schemas } from '../../api/client.js';
import { keepingFullPages } from '../../api/full-pages.js';
import { filled, type QueryOf } from '../../api/path.js';
import { readAll } from '../../api/read-all.js';
import { useApp } from '../../app/app-context.js';
import { Awaited } from '../../parts/awaited.js';
import { CreatingPage } from '../../parts/creating-page.js';
import { CutText } from '../../parts/cut-text.js';
import { Empty } from '../../parts/empty.js';
import { Facts } from '../../parts/facts.js';
import { FilterBar } from '../../parts/filter-bar.js';
import { reportConversation } from '../../parts/first-requests.js';
import { formatCode, formatNumber, formatTime } from '../../parts/format.js';
import { Further } from '../../parts/further.js';
import { JsonText } from '../../parts/json-text.js';
import { List } from '../../parts/list.js';
import { PeriodChoice } from '../../parts/period-choice.js';
import { ANY_TIME, optionalPeriodOf, type Period } from '../../parts/period.js';
import { ReadPanel } from '../../parts/read-panel.js';
import { boundsOf, readWithin } from '../../parts/read-within.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { SectionTitle } from '../../parts/section-title.js';
import { sortedBy, sortsOf, useSorting } from '../../parts/sorting.js';
import { Status } from '../../parts/status.js';
import { TableHead } from '../../parts/table-head.js';
import { ThingSelect } from '../../parts/thing-select.js';
import { chosenFrom, type Filter, useFilters, useOpen } from '../../parts/use-filters.js';
import { withVisibleMarks } from '../../parts/visible-marks.js';
import { BotFacts } from './bot.js';
import { NewBotForm } from './form.js';
import { JwtClients } from './jwt-clients.js';
import { BOTS, CONVERSATION, CONVERSATIONS } from './requests.js';

/** A page of the timeline may have a hundred texts of 100,000 characters, which take a browser seconds to lay out. */
const MAX_TEXT = 2_000;

const CONVERSATION_SORTS = sortsOf<typeof CONVERSATIONS>({ startedAt: 'desc' });
const FILTERS: readonly Filter<Omit<QueryOf<typeof CONVERSATIONS>, 'from' | 'to'>>[] = [
  { name: 'status', label: 'Status', values: ['waiting', 'active', 'transferring', 'left', 'ended'] },
  { name: 'agent', label: 'Agent' },
  { name: 'text', label: 'Words' },
  { name: 'outOfOrder', label: 'Out of order', values: ['true', 'false'] },
];

export default function AgentAssistPage() {
  const { projectId } = useApp();
  const [filters, change] = useFilters();
  const read = useQuery({
    queryKey: ['bots', projectId],
    queryFn: () =>
      readAll((cursor) => pageOf(api.GET(BOTS, { params: { path: { projectId }, query: { limit: 100, cursor } } }))),
    refetchInterval: REFRESH_MS,
  });
  const path = filled(BOTS, { projectId });
  const { query } = useConversations();
  const botId = filters.bot ?? read.data?.[0]?.botId;
  const bot = read.data?.find((each) => each.botId === botId);
  return (
    <CreatingPage
      title="Agent assist"
      noun="bot"
      request={
        botId === undefined
          ? { path, access: 'administration' }
          : query && { path: filled(CONVERSATIONS, { botId }), query, access: 'administration' }
      }
      form={(close) => <NewBotForm onDone={(bot) => close(bot ? { bot } : {})} />}
    >
      <Awaited of={read}>
        {(bots) => (
          <>
            {botId === undefined ? (
              <Empty
                text="No contact centre reports conversations to this project yet. Create a bot above, or with this request:"
                request={{ method: 'POST', path, access: 'administration', body: { name: 'Contact centre' } }}
              />
            ) : (
              <>
                <ThingSelect
                  label="Bot"
                  value={botId}
                  things={bots.map(({ botId: id, name }) => ({ id, name }))}
                  onChange={(bot) => change({ bot })}
                />
                {bot && (
                  <BotFacts
                    key={bot.botId}
                    of={bot}
                    onGone={() => change({ bot: undefined, conversation: undefined })}
                  />
                )}
                <Conversations botId={botId} />
              </>
            )}
            <JwtClients />
          </>
        )}
      </Awaited>
    </CreatingPage>
  );
}

/** Returns the conversations that the address asks for. The query is undefined while its period has faults. */
function useConversations() {
  const [filters] = useFilters();
  const sorting = useSorting(CONVERSATION_SORTS);
  const period = optionalPeriodOf(filters);
  const chosen = chosenFrom(filters, FILTERS);
  const query = period && { ...chosen, ...sortedBy(sorting), ...boundsOf(period) };
  return { sorting, period, chosen, query };
}

function Conversations({ botId }: { botId: string }) {
  const [filters, change] = useFilters();
  const { period } = useConversations();
  return (
    <>
      <SectionTitle title="Conversations" />
      <Group align="end">
        <PeriodChoice isOptional />
        <FilterBar filters={FILTERS} />
      </Group>
      {period && <ConversationList botId={botId} period={period} />}
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

interface ConversationListProps {
  botId: string;
  period: Period | typeof ANY_TIME;
}

function ConversationList({ botId, period }: ConversationListProps) {
  const [{ conversation }] = useFilters();
  const open = useOpen();
  const { sorting, chosen } = useConversations();
  return (
    <List
      label="Conversations"
      of={['assist', botId, period, chosen]}
      sorting={sorting}
      read={(position) =>
        readWithin(period, position, (at) => {
          const query = { ...chosen, ...sortedBy(sorting), ...at };
          return pageOf(api.GET(CONVERSATIONS, { params: { path: { botId }, query } }));
        })
      }
      idOf={({ conversationId }) => conversationId}
      onOpen={({ conversationId }) => open({ conversation: conversationId })}
      opened={conversation}
      columns={[
        { title: 'Conversation', cell: ({ conversationId }) => conversationId },
        { title: 'Status', cell: ({ status }) => <Status of={status} /> },
        { title: 'Started', cell: ({ startedAt }) => formatTime(startedAt), kind: 'time', sortBy: 'startedAt' },
        { title: 'Messages', cell: ({ messageCount }) => messageCount, kind: 'number' },
        { title: 'Violations', cell: ({ violationCount }) => violationCount, kind: 'number' },
      ]}
      chosen={period === ANY_TIME ? chosen : { ...chosen, period }}
      empty={{
        text: 'No conversation was reported to this bot yet. A client of the contact centre reports events with its token:',
        request: reportConversation(botId),
      }}
    />
  );
}

interface TimelineProps {
  botId: string;
  conversationId: string;
  onClose: () => void;
}

function Timeline({ botId, conversationId, onClose }: TimelineProps) {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['assist', botId, conversationId],
    queryFn: keepingFullPages(({ pageParam: cursor }) => {
      const params = { path: { botId, conversationId }, query: { cursor } };
      return dataOf(api.GET(CONVERSATION, { params }));
    }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }: Schemas['AssistConversationDetails']) => nextCursor,
    refetchInterval: REFRESH_MS,
  });
  const timeline = data?.pages.flatMap((page) => page.timeline) ?? [];
  return (
    <ReadPanel
      title={`Conversation ${conversationId}`}
      request={{ path: filled(CONVERSATION, { botId, conversationId }), access: 'administration' }}
      // The last page was read last, and each page has the members of the conversation.
      data={data?.pages.at(-1)}
      error={error}
      onClose={onClose}
    >
      {(data) => (
        <>
          <Facts
            of={{
              Status: <Status of={data.status} />,
              Started: formatTime(data.startedAt),
              'Active agents': data.activeAgents.map(({ name, identity }) => name ?? identity).join(', '),
              Violations: data.violationCount,
            }}
          />
          {data.summaries.map(({ seq, status, text, locale }) => (
            <section key={seq} aria-label={`Summary ${seq}`}>
              <Facts of={{ Summary: <Status of={status} />, Language: locale }} />
              <JsonText title={`Text of summary ${seq}`} value={text} />
            </section>
          ))}
          <Table aria-label="Timeline">
            <TableHead titles={['Time', 'Event', 'Who', 'Text and violations']} />
            <Table.Tbody>
              {timeline.map(({ seq, at, kind, transferType, text, violations, ...by }) => (
                <Table.Tr key={seq}>
                  <Table.Td className="time">{formatTime(at)}</Table.Td>
                  <Table.Td>
                    {[kind, transferType ?? 'NA']
                      .filter((code) => code !== 'NA')
                      .map(formatCode)
                      .join(', ')}
                  </Table.Td>
                  <Table.Td className="cell" miw="5rem" dir="auto">
                    {withVisibleMarks(nameOf(by) ?? '')}
                  </Table.Td>
                  <Table.Td className="cell" w="60%" dir="auto">
                    {text && (
                      <CutText text={text} max={MAX_TEXT}>
                        {withVisibleMarks}
                      </CutText>
                    )}
                    {violations.map(({ code, reason }) => (
                      <div key={code}>
                        {formatCode(code)}: {withVisibleMarks(reason)}
                      </div>
                    ))}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
          <Further
            text={`${formatNumber(timeline.length)} of ${formatNumber(data.eventCount)} events shown`}
            hasMore={hasNextPage}
            isReading={isFetchingNextPage}
            onRead={fetchNextPage}
          />
        </>
      )}
    </ReadPanel>
  );
}

/** A message of a customer has the agent who gets it, too. */
function nameOf({ agent, author }: Pick<Schemas['AssistConversationDetails']['timeline'][number], 'agent' | 'author'>) {
  return author === 'USER' ? 'Customer' : (agent?.name ?? agent?.identity);
}
