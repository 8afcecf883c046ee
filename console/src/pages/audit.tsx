import { useQuery } from '@tanstack/react-query';
import { api, pageOf, type Schemas } from '../api/client.js';
import { Facts } from '../parts/facts.js';
import { FilterBar } from '../parts/filter-bar.js';
import { formatTime } from '../parts/format.js';
import { JsonText } from '../parts/json-text.js';
import { List } from '../parts/list.js';
import { Page } from '../parts/page.js';
import { ReadPanel } from '../parts/read-panel.js';
import { chosenFrom, useFilters } from '../parts/use-filters.js';

type Entry = Schemas['AuditEntry'];

const PATH = '/api/admin/v1/audit';
const FILTERS = [
  { name: 'projectId', label: 'Project' },
  { name: 'actor', label: 'Actor' },
  { name: 'kind', label: 'Kind' },
  { name: 'targetId', label: 'Target' },
  { name: 'operation', label: 'Operation' },
] as const;

export default function AuditPage() {
  const [filters, change] = useFilters();
  const { entry, at } = filters;
  const chosen = chosenFrom(filters, FILTERS);
  return (
    <Page title="Audit" request={{ path: PATH, query: chosen, access: 'administration' }}>
      <FilterBar filters={FILTERS} />
      <List
        label="Changes of the configuration"
        of={['audit', chosen]}
        read={(cursor) => pageOf(api.GET(PATH, { params: { query: { ...chosen, cursor, limit: 50 } as never } }))}
        idOf={({ auditId }) => auditId}
        onOpen={({ auditId, at }) => change({ entry: auditId, at })}
        columns={[
          { title: 'Time', cell: ({ at }) => formatTime(at) },
          { title: 'Actor', cell: ({ actor }) => actor.label },
          { title: 'Change', cell: ({ change, target }) => `${target.kind} ${change}` },
          { title: 'Target', cell: ({ target }) => target.targetId },
          { title: 'Operation', cell: ({ operation }) => operation },
        ]}
        empty={{ text: 'No change matches.' }}
      />
      {entry && at && (
        <EntryPanel auditId={entry} at={at} onClose={() => change({ entry: undefined, at: undefined })} />
      )}
    </Page>
  );
}

interface EntryPanelProps {
  auditId: string;
  /** The time of the entry. It stands in the address beside the id, because the API finds entries by their time. */
  at: string;
  onClose: () => void;
}

function EntryPanel({ auditId, at, onClose }: EntryPanelProps) {
  const moment = momentOf(at);
  const { data: entry, error } = useQuery({
    queryKey: ['audit-entry', auditId, at],
    queryFn: () => readEntry(auditId, moment),
    staleTime: Infinity,
  });
  return (
    <ReadPanel
      title={entry ? `${entry.target.kind} ${entry.change}` : 'Change'}
      request={{ path: PATH, query: moment, access: 'administration' }}
      data={entry}
      error={error}
      onClose={onClose}
    >
      {({ at, actor, target, operation, requestId, before, after }) => (
        <>
          <Facts
            of={{
              Id: auditId,
              Time: formatTime(at),
              Actor: actor.label,
              Target: target.targetId,
              Project: target.projectId,
              Operation: operation,
              Request: requestId,
            }}
          />
          <JsonText title="Before" value={before} />
          <JsonText title="After" value={after} />
        </>
      )}
    </ReadPanel>
  );
}

/** Returns the window of the millisecond of an entry. The API says what is wrong with a time that is none. */
function momentOf(at: string) {
  const begin = Date.parse(at);
  return { from: at, to: Number.isNaN(begin) ? at : new Date(begin + 1).toISOString() };
}

class EntryGone extends Error {
  override name = 'ENTRY_GONE';
}

async function readEntry(auditId: string, moment: { from: string; to: string }): Promise<Entry> {
  let cursor: string | undefined;
  do {
    const { rows, next } = await pageOf(api.GET(PATH, { params: { query: { ...moment, cursor, limit: 100 } } }));
    const found = rows.find((row) => row.auditId === auditId);
    if (found) return found;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  throw new EntryGone('The audit no longer has this entry.');
}
