import { useState } from 'react';
import { api, pageOf, type Schemas } from '../api/client.js';
import { Facts } from '../parts/facts.js';
import { FilterBar } from '../parts/filter-bar.js';
import { formatTime } from '../parts/format.js';
import { JsonText } from '../parts/json-text.js';
import { List } from '../parts/list.js';
import { Page } from '../parts/page.js';
import { SidePanel } from '../parts/side-panel.js';
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
  const [filters] = useFilters();
  const [opened, setOpened] = useState<Entry | null>(null);
  const chosen = chosenFrom(filters, FILTERS);
  return (
    <Page title="Audit" request={{ path: PATH, query: chosen, access: 'administration' }}>
      <FilterBar filters={FILTERS} />
      <List
        label="Changes of the configuration"
        of={['audit', chosen]}
        read={(cursor) => pageOf(api.GET(PATH, { params: { query: { ...chosen, cursor, limit: 50 } as never } }))}
        idOf={({ auditId }) => auditId}
        onOpen={setOpened}
        columns={[
          { title: 'Time', cell: ({ at }) => formatTime(at) },
          { title: 'Actor', cell: ({ actor }) => actor.label },
          { title: 'Change', cell: ({ change, target }) => `${target.kind} ${change}` },
          { title: 'Target', cell: ({ target }) => target.targetId },
          { title: 'Operation', cell: ({ operation }) => operation },
        ]}
        empty={{ text: 'No change matches.' }}
      />
      {opened && (
        <SidePanel title={`${opened.target.kind} ${opened.change}`} onClose={() => setOpened(null)}>
          <Facts
            of={{
              Time: formatTime(opened.at),
              Actor: opened.actor.label,
              Target: opened.target.targetId,
              Project: opened.target.projectId,
              Operation: opened.operation,
              Request: opened.requestId,
            }}
          />
          <JsonText title="Before" value={opened.before} />
          <JsonText title="After" value={opened.after} />
        </SidePanel>
      )}
    </Page>
  );
}
