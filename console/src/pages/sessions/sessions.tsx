import { Group } from '@mantine/core';
import { bodyOf, type ListPage, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { type AppContext, useApp } from '../../app/app-context.js';
import { ENVIRONMENTS } from '../../parts/environments.js';
import { FilterBar } from '../../parts/filter-bar.js';
import { formatCost, formatNumber, formatTime } from '../../parts/format.js';
import { askForList, List, type ListSource } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { PeriodChoice } from '../../parts/period-choice.js';
import { hasEnded, periodOf, rangeOf } from '../../parts/period.js';
import { Status } from '../../parts/status.js';
import { chosenFrom, type Filter, type Filters, useFilters, useOpen } from '../../parts/use-filters.js';
import { Conversation } from './conversation.js';

type Session = Schemas['SessionList']['sessions'][number];

const PAGE = 50;
const PATH = '/api/public/apps/{appId}/sessions/list';
/** The filters of the page, as the API takes them. */
type Asked = Schemas['ListSessionsInput'] & Pick<Position, 'start_time' | 'end_time'>;

const FILTERS: readonly Filter<Schemas['ListSessionsInput']>[] = [
  { name: 'env_name', label: 'Environment', values: ENVIRONMENTS },
  { name: 'user_reference_id', label: 'User' },
  { name: 'session_reference_id', label: 'Reference' },
  { name: 'source', label: 'Source' },
];

/** Returns what the page shows with the filters in the address, or undefined if they have no period. */
function sessionsOf(app: AppContext, filters: Filters) {
  const period = periodOf(filters);
  if (!period) return undefined;
  const chosen = chosenFrom(filters, FILTERS);
  const asked = (): Asked => {
    const { fromDate, toDate } = rangeOf(period);
    return { ...chosen, start_time: fromDate, end_time: toDate };
  };
  const source: ListSource<Session> = {
    of: ['sessions', app.appId, period, chosen],
    read: (cursor) => readSessions(app, asked(), cursor),
    isOver: hasEnded(period),
  };
  return { chosen, asked, source };
}

export function ask(app: AppContext, filters: Filters): void {
  const shown = sessionsOf(app, filters);
  if (shown && !filters.session) askForList(shown.source);
}

export default function SessionsPage() {
  const app = useApp();
  const [filters, change] = useFilters();
  if (filters.session) {
    const close = () => change({ session: undefined, step: undefined });
    return <Conversation sessionId={filters.session} onClose={close} />;
  }
  const shown = sessionsOf(app, filters);
  return (
    <Page
      title="Sessions"
      request={
        shown && { method: 'POST', path: filled(PATH, { appId: app.appId }), access: 'key', body: shown.asked() }
      }
    >
      <Group align="end">
        <PeriodChoice />
        <FilterBar filters={FILTERS} />
      </Group>
      {shown && <SessionList {...shown} />}
    </Page>
  );
}

function SessionList({ source, chosen }: Pick<NonNullable<ReturnType<typeof sessionsOf>>, 'source' | 'chosen'>) {
  const { appId } = useApp();
  const open = useOpen();
  return (
    <List
      label="Sessions"
      {...source}
      idOf={({ session_id }) => session_id}
      onOpen={({ session_id }) => open({ session: session_id })}
      columns={[
        { title: 'Session', cell: ({ session_id }) => session_id, kind: 'id' },
        { title: 'Reference', cell: ({ session_reference_id }) => session_reference_id },
        { title: 'User', cell: ({ user_reference_id }) => user_reference_id },
        { title: 'Environment', cell: ({ env_name }) => env_name },
        { title: 'Source', cell: ({ source }) => source },
        { title: 'Status', cell: ({ status }) => <Status of={status} /> },
        { title: 'Turns', cell: ({ totals }) => formatNumber(totals.turns), kind: 'number' },
        { title: 'Tokens', cell: ({ totals }) => formatNumber(totals.total_tokens), kind: 'number' },
        { title: 'Cost', cell: ({ totals }) => formatCost(totals.cost), kind: 'number' },
        { title: 'Started', cell: ({ start_time }) => formatTime(start_time), kind: 'time' },
        { title: 'Last activity', cell: ({ last_activity_at }) => formatTime(last_activity_at), kind: 'time' },
      ]}
      chosen={chosen}
      empty={{
        text: 'There is no session in this period. A session begins with its first request:',
        request: {
          method: 'POST',
          path: filled('/api/v2/apps/{appId}/environments/{envName}/sessions', { appId, envName: 'production' }),
          access: 'key',
          body: { sessionIdentity: [{ type: 'userReference', value: 'ada' }] },
        },
      }}
    />
  );
}

/** The rows before a page, in a time to which no session is added. */
interface Position {
  start_time: string;
  end_time: string;
  offset: number;
}

/**
 * Reads a page of the list, whose position is its number of rows from the newest one. After the first page, the time ends
 * with the newest row, because sessions that begin meanwhile would move all others.
 */
async function readSessions({ asApp, appId }: AppContext, asked: Asked, cursor?: string): Promise<ListPage<Session>> {
  const position: Position | undefined = cursor === undefined ? undefined : (JSON.parse(cursor) as Position);
  const { offset, ...time } = position ?? { start_time: asked.start_time, end_time: asked.end_time, offset: 0 };
  const { sessions: rows, total_count: total } = await bodyOf(
    asApp.POST(PATH, { params: { path: { appId }, query: { offset, limit: PAGE } }, body: { ...asked, ...time } }),
  );
  const seen = offset + rows.length;
  const [newest] = rows;
  if (!newest || seen >= total) return { rows, total, next: null };
  const next: Position = { ...time, ...(!position && { end_time: justAfter(newest.start_time) }), offset: seen };
  return { rows, total, next: JSON.stringify(next) };
}

function justAfter(time: string): string {
  return new Date(Date.parse(time) + 1).toISOString();
}
