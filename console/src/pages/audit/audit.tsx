import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf, pageOf, type Schemas } from '../../api/client.js';
import { filled, type QueryOf, type SortOf } from '../../api/path.js';
import { useSession } from '../../app/session.js';
import { Facts } from '../../parts/facts.js';
import { FilterBar } from '../../parts/filter-bar.js';
import { createProject } from '../../parts/first-requests.js';
import { formatTime } from '../../parts/format.js';
import { JsonText } from '../../parts/json-text.js';
import { List } from '../../parts/list.js';
import { Page } from '../../parts/page.js';
import { PeriodChoice } from '../../parts/period-choice.js';
import { hasEnded, type Period, periodOf } from '../../parts/period.js';
import { BY_PROJECT, ProjectFilter } from '../../parts/project-filter.js';
import { boundsOf, readWithin } from '../../parts/read-within.js';
import { ReadPanel } from '../../parts/read-panel.js';
import { sortedBy, type Sorting, sortsOf, useSorting } from '../../parts/sorting.js';
import { chosenFrom, type Filter, type Filters, useFilters, useOpen } from '../../parts/use-filters.js';
import { type App, useAllApps } from '../projects/apps.js';

const PATH = '/api/admin/v1/audit';
const READERS: readonly Schemas['AdminRole'][] = ['owner', 'auditor'];
const ENTRY = `${PATH}/{auditId}` as const;
const SORTS = sortsOf<typeof PATH>({ at: 'desc' });
const FILTERS: readonly Filter<QueryOf<typeof PATH>>[] = [
  { name: 'actor', label: 'Actor' },
  { name: 'kind', label: 'Kind' },
  { name: 'targetId', label: 'Target' },
  { name: 'operation', label: 'Operation' },
];
const ALL_FILTERS = [BY_PROJECT, ...FILTERS];

export default function AuditPage() {
  const [filters, change] = useFilters();
  const open = useOpen();
  const { entry } = filters;
  const { projectId, canBeAll } = useAuditedProject(filters);
  const isKnown = canBeAll || projectId !== undefined;
  const chosen = chosenFrom(filters, ALL_FILTERS);
  const asked = chosenFrom({ ...filters, projectId }, ALL_FILTERS);
  const period = periodOf(filters);
  const sorting = useSorting(SORTS);
  const query = period && { ...asked, ...sortedBy(sorting), ...boundsOf(period) };
  return (
    <Page title="Audit" request={query && { path: PATH, query, access: 'administration' }}>
      <Group align="end">
        <PeriodChoice />
        {isKnown && <ProjectFilter value={projectId} canBeAll={canBeAll} />}
        <FilterBar filters={FILTERS} />
      </Group>
      {period && (
        <Changes
          chosen={chosen}
          asked={asked}
          sorting={sorting}
          period={period}
          opened={entry}
          onOpen={(auditId) => open({ entry: auditId })}
        />
      )}
      {entry && <EntryPanel key={entry} auditId={entry} onClose={() => change({ entry: undefined })} />}
    </Page>
  );
}

/** Roles in single projects open only the audit of one project at a time, so one of them is always chosen. */
function useAuditedProject({ projectId }: Filters) {
  const { role = null, projectRoles = [] } = useSession().session ?? {};
  const canBeAll = role !== null && READERS.includes(role);
  const audited = projectRoles.find((each) => READERS.includes(each.role))?.projectId;
  return { projectId: canBeAll ? projectId : (projectId ?? audited), canBeAll };
}

interface ChangesProps {
  /** The filters in the address. */
  chosen: object;
  /** The same filters, and the project if there must be one. */
  asked: Partial<QueryOf<typeof PATH>>;
  sorting: Sorting<SortOf<typeof PATH>>;
  period: Period;
  opened: string | undefined;
  onOpen: (auditId: string) => void;
}

function Changes({ chosen, asked, sorting, period, opened, onOpen }: ChangesProps) {
  const { data: apps = [] } = useAllApps();
  return (
    <List
      label="Changes of the configuration"
      of={['audit', period, asked]}
      sorting={sorting}
      isOver={hasEnded(period)}
      read={(position) =>
        readWithin(period, position, async (at) => {
          const query = { ...asked, ...sortedBy(sorting), ...at, limit: 50 };
          const page = await pageOf(api.GET(PATH, { params: { query } }));
          return { ...page, rows: withNames(page.rows) };
        })
      }
      idOf={({ auditId }) => auditId}
      onOpen={({ auditId }) => onOpen(auditId)}
      opened={opened}
      columns={[
        { title: 'Time', cell: ({ at }) => formatTime(at), kind: 'time', sortBy: 'at' },
        { title: 'Actor', cell: ({ actor }) => actor.label },
        { title: 'Change', cell: nameOf },
        { title: 'Target', cell: ({ name, target: { targetId } }) => name ?? nameOfApp(apps, targetId) ?? targetId },
        { title: 'Operation', cell: ({ operation }) => operation },
      ]}
      chosen={chosen}
      empty={{
        text: 'There is no change in this period. Choose a longer one. A change of the configuration appears here, such as a new project:',
        request: createProject(),
      }}
    />
  );
}

function EntryPanel({ auditId, onClose }: { auditId: string; onClose: () => void }) {
  const params = { path: { auditId } };
  const { data: entry, error } = useQuery({
    queryKey: ['audit-entry', auditId],
    queryFn: () => dataOf(api.GET(ENTRY, { params })),
    staleTime: Infinity,
  });
  return (
    <ReadPanel
      title={entry ? nameOf(entry) : 'Change'}
      request={{ path: filled(ENTRY, { auditId }), access: 'administration' }}
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
              Kind: target.kind,
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

type Entry = Schemas['AuditEntry'];

/** Gives each change the name of its thing if the change tells it, or another one of the same page. */
function withNames(rows: readonly Entry[]): (Entry & { name: string | undefined })[] {
  // The newest change comes first, and tells the present name.
  const names = new Map([...rows].reverse().flatMap((entry) => (nameIn(entry) ? [[idOf(entry), nameIn(entry)]] : [])));
  return rows.map((entry) => ({ ...entry, name: nameIn(entry) ?? names.get(idOf(entry)) }));
}

const idOf = ({ target }: Entry) => target.targetId;

function nameIn({ before, after }: Entry): string | undefined {
  const { name, displayName } = after ?? before ?? {};
  return [name, displayName].find((each) => typeof each === 'string');
}

function nameOfApp(apps: readonly App[], id: string): string | undefined {
  const app = apps.find(({ appId, projectId }) => id === appId || id === projectId);
  return app?.appId === id ? app.name : app?.projectName;
}

const ABBREVIATIONS = /\b(api|jwt|mcp)\b/g;

/** Names a change in words, such as "API key created". The API writes its kind as `apiKey`. */
function nameOf({ target: { kind }, change }: Pick<Schemas['AuditEntry'], 'target' | 'change'>): string {
  const words = kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const name = words.replace(ABBREVIATIONS, (word) => word.toUpperCase());
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${change}`;
}
