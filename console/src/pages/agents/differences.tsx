import { NativeSelect, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ChangeObject, diffWordsWithSpace } from 'diff';
import { useMemo, useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { ErrorBox } from '../../parts/error-box.js';
import { formatJson } from '../../parts/format.js';
import { TableHead } from '../../parts/table-head.js';
import { withVisibleMarks } from '../../parts/visible-marks.js';
import { useAgentChoices } from './fields.js';
import { versionChoiceOptions } from './requests.js';

type Version = Schemas['AgentVersion'];

/** These members differ between any two versions. */
const OWN = new Set(['versionId', 'version', 'createdAt']);

/** Shows which members of a version differ from another one's, by default from the version before it. */
export function Differences({ of }: { of: Version }) {
  const { appId } = useApp();
  const { agentId } = of;
  const [chosen, setChosen] = useState<string | null>(null);
  const { data: versions, error } = useQuery(versionChoiceOptions(appId, agentId));
  const others = (versions ?? []).filter(({ versionId }) => versionId !== of.versionId);
  const other =
    others.find(({ versionId }) => versionId === chosen) ??
    others.find(({ version }) => version === of.version - 1) ??
    others[0];
  if (!other) return error && <ErrorBox error={error} />;
  return (
    <section aria-label="Differences">
      {error && <ErrorBox error={error} />}
      <NativeSelect
        size="xs"
        w="max-content"
        label="Compared with"
        value={other.versionId}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        data={others.map(({ versionId, version }) => ({ value: versionId, label: `Version ${version}` }))}
      />
      <Members before={other} after={of} />
    </section>
  );
}

function Members({ before, after }: { before: Version; after: Version }) {
  const namesOfIds = useNamesOfIds();
  const was: Record<string, unknown> = { ...before };
  const rows = Object.entries(after)
    .map(([name, value]) => ({ name, before: was[name], after: value }))
    .filter((row) => !OWN.has(row.name) && formatJson(row.before) !== formatJson(row.after))
    .map((row) => ({ ...row, ...shownIn(row, namesOfIds) }));
  if (rows.length === 0) return <Text size="sm">Both versions are the same.</Text>;
  return (
    <Table aria-label="Settings that differ">
      <TableHead titles={['Setting', `Version ${before.version}`, `Version ${after.version}`]} />
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.name}>
            <Table.Td>{row.name}</Table.Td>
            <Compared before={row.before} after={row.after} />
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Texts with more words that differ are marked as a whole, because comparing them would hold up the page. */
const MOST_DIFFERENCES = 500;

function partsOf(before: string, after: string): Pick<ChangeObject<string>, 'value' | 'added' | 'removed'>[] {
  const whole = [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return diffWordsWithSpace(before, after, { maxEditLength: MOST_DIFFERENCES }) ?? whole;
}

/** Both texts beside each other. Words that only one text has are marked as deleted or inserted. */
function Compared({ before, after }: Record<keyof Row, string>) {
  const parts = useMemo(() => partsOf(withVisibleMarks(before), withVisibleMarks(after)), [before, after]);
  return (
    <>
      <Table.Td className="cell compared" dir="auto">
        {parts.map(({ value, added, removed }, at) => !added && (removed ? <del key={at}>{value}</del> : value))}
      </Table.Td>
      <Table.Td className="cell compared" dir="auto">
        {parts.map(({ value, added, removed }, at) => !removed && (added ? <ins key={at}>{value}</ins> : value))}
      </Table.Td>
    </>
  );
}

/** The models, tools and MCP connections that a version names by their ids. */
function useNamesOfIds(): ReadonlyMap<unknown, string> {
  const { data: choices } = useAgentChoices();
  return useMemo(() => {
    const { models = [], tools = [], servers = [] } = choices ?? {};
    return new Map([
      ...models.filter(({ place }) => place).map(({ value, name }) => [value, name] as const),
      ...[...tools, ...servers].map(({ id, label }) => [id, label] as const),
    ]);
  }, [choices]);
}

interface Row {
  before: unknown;
  after: unknown;
}

/** Shows both values with names in place of ids, unless they have the same names. Deleted things keep their ids. */
function shownIn({ before, after }: Row, names: ReadonlyMap<unknown, string>): Record<keyof Row, string> {
  const shown = { before: formatJson(named(before, names)), after: formatJson(named(after, names)) };
  return shown.before === shown.after ? { before: formatJson(before), after: formatJson(after) } : shown;
}

function named(value: unknown, names: ReadonlyMap<unknown, string>): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => named(each, names));
  return names.get(value) ?? value;
}
