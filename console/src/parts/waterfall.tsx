import './waterfall.css';
import { Table, VisuallyHidden } from '@mantine/core';
import { ShortText } from './foreign-text.js';
import { formatCode, formatCost, formatDuration, formatNumber } from './format.js';
import { Status } from './status.js';

/** A step of a trace, whichever route it comes from. */
export interface Step {
  id: string;
  parentId: string | null;
  name: string;
  type: string;
  startedAt: string;
  latencyMs: number;
  isFailed: boolean;
  tokens: number | null;
  cost: number | null;
}

interface Placed extends Step {
  depth: number;
}

interface WaterfallProps {
  steps: readonly Step[];
  onOpen: (id: string) => void;
  /** The id of the step that is opened beside them. */
  opened?: string | undefined;
}

/** Shows the steps of a trace as a tree, each with its time as a bar. */
export function Waterfall({ steps, onOpen, opened }: WaterfallProps) {
  const begin = Math.min(...steps.map(({ startedAt }) => Date.parse(startedAt)));
  const end = Math.max(...steps.map(({ startedAt, latencyMs }) => Date.parse(startedAt) + latencyMs));
  const hasCosts = steps.some(({ cost }) => cost !== null);
  const width = Math.max(1, end - begin);
  return (
    <div className="steps">
      <Table aria-label="Steps of the trace" layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="40%">Step</Table.Th>
            <Table.Th className="wide">Time</Table.Th>
            <Table.Th w="6rem" ta="right">
              Duration
            </Table.Th>
            <Table.Th className="widest" w="6rem" ta="right">
              Tokens
            </Table.Th>
            {hasCosts && (
              <Table.Th className="widest" w="6rem" ta="right">
                Cost
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {asTree(steps).map(({ id, name, type, depth, startedAt, latencyMs, isFailed, tokens, cost }) => (
            <Table.Tr key={id} aria-current={id === opened ? true : undefined}>
              <Table.Td className="cell" pl={8 + Math.min(depth, MAX_DEPTH) * 16} dir="auto">
                {/* It has a direction, so that the name decides that of the cell. */}
                <VisuallyHidden dir="ltr">Level {depth + 1}, </VisuallyHidden>
                <button type="button" className="link" onClick={() => onOpen(id)}>
                  <ShortText>{name}</ShortText>
                </button>{' '}
                <small>{formatCode(type)}</small> {isFailed && <Status of="failed" />}
              </Table.Td>
              <Table.Td className="wide">
                <div className="bar">
                  <span
                    className={isFailed ? 'failed' : undefined}
                    style={{
                      left: `${((Date.parse(startedAt) - begin) / width) * 100}%`,
                      width: `${(latencyMs / width) * 100}%`,
                    }}
                  />
                </div>
              </Table.Td>
              <Table.Td ta="right">{formatDuration(latencyMs)}</Table.Td>
              <Table.Td className="widest" ta="right">
                {tokens === null ? '' : formatNumber(tokens)}
              </Table.Td>
              {hasCosts && (
                <Table.Td className="widest" ta="right">
                  {cost === null ? '' : formatCost(cost)}
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** Deeper steps are not moved further, so that their names have room. */
const MAX_DEPTH = 12;

/** Orders the steps so that each follows its parent. A step whose parent is missing, or is below it, is a root. */
function asTree(steps: readonly Step[]): Placed[] {
  const known = new Set(steps.map(({ id }) => id));
  const children = Map.groupBy(steps, ({ parentId }) => (parentId !== null && known.has(parentId) ? parentId : null));
  const placed = new Map<Step, Placed>();
  const place = (some: readonly Step[], depth: number) => {
    for (const step of some.toSorted((a, b) => a.startedAt.localeCompare(b.startedAt))) {
      if (placed.has(step)) continue;
      placed.set(step, { ...step, depth });
      place(children.get(step.id) ?? [], depth + 1);
    }
  };
  place(children.get(null) ?? [], 0);
  // The steps that are left form circles.
  place(steps, 0);
  return [...placed.values()];
}
