import { Button, Group, Table, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, dataOf, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useProjects } from '../../api/use-projects.js';
import { Awaited } from '../../parts/awaited.js';
import { ChangeButton } from '../../parts/change-button.js';
import { Empty } from '../../parts/empty.js';
import { ErrorBox } from '../../parts/error-box.js';
import { faultsByField } from '../../parts/field-faults.js';
import { createProject } from '../../parts/first-requests.js';
import { formatNumber } from '../../parts/format.js';
import { SectionTitle } from '../../parts/section-title.js';
import { TableHead } from '../../parts/table-head.js';
import { ThingSelect } from '../../parts/thing-select.js';
import { useAction } from '../../parts/use-action.js';
import { useFilters } from '../../parts/use-filters.js';
import { useReadingPause } from '../../parts/use-reading-pause.js';
import { WideTable } from '../../parts/wide-table.js';

const PATH = '/api/admin/v1/projects/{projectId}/retention';

/** A project may keep some things longer or shorter than the others. */
export function Retention() {
  const [{ project }, change] = useFilters();
  const { data: projects, error } = useProjects();
  const projectId = project ?? projects?.[0]?.id;
  return (
    <>
      <SectionTitle
        title="Retention"
        request={projectId === undefined ? undefined : { path: filled(PATH, { projectId }), access: 'administration' }}
      />
      {error && <ErrorBox error={error} />}
      {projects && projectId !== undefined && (
        <ThingSelect label="Project" value={projectId} things={projects} onChange={(project) => change({ project })} />
      )}
      {projectId !== undefined && <Periods projectId={projectId} />}
      {projects && projectId === undefined && (
        <Empty
          text="There is no project yet. Each has its own times, which are shown here. Create one:"
          request={createProject()}
        />
      )}
    </>
  );
}

const keyOf = (projectId: string) => ['retention', projectId];

function Periods({ projectId }: { projectId: string }) {
  const read = useQuery({
    queryKey: keyOf(projectId),
    queryFn: () => dataOf(api.GET(PATH, { params: { path: { projectId } } })),
  });
  return <Awaited of={read}>{(periods) => <PeriodTable projectId={projectId} of={periods} />}</Awaited>;
}

function PeriodTable({ projectId, of: periods }: { projectId: string; of: readonly Schemas['Retention'][] }) {
  return (
    <WideTable label="Retention" minWidth={640}>
      <TableHead titles={['Data', 'Days', 'Default', 'Allowed']} />
      <Table.Tbody>
        {periods.map((period) => (
          <Table.Tr key={`${projectId} ${period.name}`}>
            <Table.Td>{period.holds}</Table.Td>
            <Table.Td>
              <PeriodForm projectId={projectId} period={period} />
            </Table.Td>
            <Table.Td>{formatNumber(period.defaultDays)}</Table.Td>
            <Table.Td>
              {formatNumber(period.minDays)} to {formatNumber(period.maxDays)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

/** Changes one period. A shorter one deletes what is older, so the form asks once more before it is sent. */
function PeriodForm({ projectId, period }: { projectId: string; period: Schemas['Retention'] }) {
  const { name, holds, days, defaultDays } = period;
  const queries = useQueryClient();
  const [draft, setDraft] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const isReadable = useReadingPause(isAsking);
  const text = draft ?? String(days);
  const chosen = Number(text);
  const isChanged = chosen !== days;
  const save = useAction(
    async () => {
      // A project that follows the default has no period of its own.
      const body = { days: { [name]: chosen === defaultDays ? null : chosen } };
      queries.setQueryData(keyOf(projectId), await dataOf(api.PUT(PATH, { params: { path: { projectId } }, body })));
      setDraft((now) => (now === draft ? null : now));
      setAsking(false);
    },
    { queryKey: keyOf(projectId) },
  );
  const edit = (next: string | null) => {
    setDraft(next);
    setAsking(false);
    save.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isChanged) return;
    const isShorter = chosen < days;
    setAsking(isShorter && !isAsking);
    if (!isShorter || isAsking) save.mutate();
  };
  return (
    <form onSubmit={submit} aria-label={`Change how long these are kept: ${holds}`}>
      <Group gap="xs" align="start">
        <TextInput
          size="xs"
          w="7rem"
          type="number"
          step="any"
          aria-label={`Days: ${holds}`}
          value={text}
          onChange={({ currentTarget }) => edit(currentTarget.value)}
          error={faultsByField(save.error, [name])[name]}
          required
        />
        {isChanged && (
          <>
            <ChangeButton
              type="submit"
              color={isAsking ? 'red.9' : undefined}
              loading={save.isPending}
              disabled={isAsking && !isReadable}
            >
              {isAsking ? 'Save: confirm' : 'Save'}
            </ChangeButton>
            <Button size="xs" variant="default" disabled={save.isPending} onClick={() => edit(null)}>
              Keep {formatNumber(days)}
            </Button>
          </>
        )}
      </Group>
      {save.error && <ErrorBox error={save.error} fields={[name]} />}
      {isAsking && (
        <Text size="sm" role="status">
          All that is older than {formatNumber(chosen)} days is deleted permanently within the hour.
        </Text>
      )}
    </form>
  );
}
