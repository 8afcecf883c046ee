import { Group } from '@mantine/core';
import type { ListPage, Schemas } from '../../api/client.js';
import { filled, type QueryOf } from '../../api/path.js';
import { type AppContext, useApp } from '../../app/app-context.js';
import { ShortText } from '../../parts/foreign-text.js';
import { ENVIRONMENTS } from '../../parts/environments.js';
import { FilterBar } from '../../parts/filter-bar.js';
import { formatCost, formatDuration, formatNumber, formatTime } from '../../parts/format.js';
import { askForList, List, type ListSource } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { PageLink } from '../../parts/page-link.js';
import { PeriodChoice } from '../../parts/period-choice.js';
import { hasEnded, periodOf, rangeOf } from '../../parts/period.js';
import { type Sorting, sortingIn, type Sorts } from '../../parts/sorting.js';
import { Status } from '../../parts/status.js';
import { chosenFrom, type Filter, type Filters, useFilters, useOpen } from '../../parts/use-filters.js';
import { reportCall } from '../../parts/first-requests.js';
import { CallPanel } from './call.js';
import { type Exported, LedgerExport } from './export.js';

type Call = Schemas['LlmCall'];

const PAGE = 50;
const PATH = '/api/public/analytics/projects/{projectId}/llm-ledger';
type Query = QueryOf<typeof PATH>;

type SortedBy = NonNullable<Query['sortBy']>;

const SORTS: Sorts<SortedBy> = {
  orders: { timestamp: 'desc', totalTokens: 'desc', cost: 'desc', latencyMs: 'desc' },
  name: 'sort',
};
/** The list and its export take the same filters. */
const FILTERS: readonly Filter<Pick<Query, keyof Query & keyof Exported>>[] = [
  { name: 'status', label: 'Status', values: ['success', 'failed'] },
  { name: 'model', label: 'Model' },
  { name: 'provider', label: 'Provider' },
  { name: 'name', label: 'Agent' },
  {
    name: 'environment',
    label: 'Environment',
    values: ENVIRONMENTS,
  },
  { name: 'source', label: 'Source' },
  { name: 'sourceSubtype', label: 'Subtype of the source' },
  { name: 'channel', label: 'Channel' },
  { name: 'channelType', label: 'Type of the channel' },
  { name: 'sessionIds', label: 'Session' },
];

/** Returns what the page shows with the filters in the address, or undefined if they have no period. */
function ledgerOf(app: AppContext, filters: Filters) {
  const period = periodOf(filters);
  if (!period) return undefined;
  const sorting = sortingIn(filters, SORTS);
  const chosen = chosenFrom(filters, FILTERS);
  const query = () => ({ ...chosen, ...rangeOf(period) });
  const source: ListSource<Call, SortedBy> = {
    of: ['ledger', app.projectId, period, chosen],
    read: (cursor) => readCalls(app, { ...query(), ...sorted(sorting), cursor }),
    isOver: hasEnded(period),
    sorting,
  };
  return { chosen, query, sorting, source };
}

export function ask(app: AppContext, filters: Filters): void {
  const shown = ledgerOf(app, filters);
  if (shown) askForList(shown.source);
}

export default function LedgerPage() {
  const app = useApp();
  const [filters, change] = useFilters();
  const shown = ledgerOf(app, filters);
  return (
    <Page
      title="Ledger"
      request={
        shown && {
          path: filled(PATH, { projectId: app.projectId }),
          query: { ...shown.query(), ...sorted(shown.sorting) },
          access: 'key',
        }
      }
    >
      <Group align="end">
        <PeriodChoice />
        <FilterBar filters={FILTERS} />
      </Group>
      {shown && <Calls {...shown} />}
      {filters.call && <CallPanel key={filters.call} id={filters.call} onClose={() => change({ call: undefined })} />}
    </Page>
  );
}

function Calls({
  chosen,
  query,
  source,
}: Pick<NonNullable<ReturnType<typeof ledgerOf>>, 'chosen' | 'query' | 'source'>) {
  const app = useApp();
  const [{ call }] = useFilters();
  const open = useOpen();
  return (
    <>
      <LedgerExport query={query} />
      <List
        label="Calls of models"
        {...source}
        idOf={({ id }) => id}
        onOpen={({ id }) => open({ call: id })}
        opened={call}
        columns={[
          { title: 'Time', cell: ({ timestamp }) => formatTime(timestamp), kind: 'time', sortBy: 'timestamp' },
          { title: 'Model', cell: ({ model }) => model },
          { title: 'Agent', cell: (call) => <AgentName of={call} /> },
          { title: 'Status', cell: ({ status }) => <Status of={status} /> },
          {
            title: 'Tokens',
            cell: ({ totalTokens }) => formatNumber(totalTokens),
            kind: 'number',
            sortBy: 'totalTokens',
          },
          { title: 'Cost', cell: ({ cost }) => formatCost(cost), kind: 'number', sortBy: 'cost' },
          { title: 'Latency', cell: ({ latencyMs }) => formatDuration(latencyMs), kind: 'number', sortBy: 'latencyMs' },
          { title: 'Session', cell: (call) => <SessionLink of={call} app={app} />, kind: 'id' },
        ]}
        chosen={chosen}
        empty={{
          text: 'There is no call of a model in this period. Calls appear here when an agent answers, or when a program reports one:',
          request: reportCall(app.projectId),
        }}
      />
    </>
  );
}

/** Names the environment beside the agent unless it is production, as a column of its own has no room. */
function AgentName({ of: { agentName, environment } }: { of: Call }) {
  return (
    <>
      <ShortText>{agentName}</ShortText> {environment !== 'production' && <small>{environment}</small>}
    </>
  );
}

function SessionLink({ of: { sessionId }, app }: { of: Call; app: AppContext }) {
  if (!sessionId) return null;
  return (
    <PageLink to={`/apps/${app.appId}/sessions`} search={{ session: sessionId }}>
      {sessionId}
    </PageLink>
  );
}

function sorted({ by, order }: Sorting<SortedBy>): Pick<Query, 'sortBy' | 'sortOrder'> {
  return { sortBy: by, sortOrder: order };
}

/** The cursor of the next page is a header of the answer. */
async function readCalls({ asApp, projectId }: AppContext, query: Query): Promise<ListPage<Call>> {
  const { data, response } = await asApp.GET(PATH, {
    params: { path: { projectId }, query: { limit: PAGE, ...query } },
  });
  const { generations: rows, total } = data!;
  return { rows, total, next: response.headers.get('x-next-cursor') };
}
