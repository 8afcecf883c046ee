import type { ReactNode } from 'react';
import { withVisibleMarks } from './visible-marks.js';

const MISSING: ReadonlySet<ReactNode> = new Set([null, undefined, false, '']);

interface FactsProps {
  of: Readonly<Record<string, ReactNode>>;
  /** Puts the values beside each other, each below its name, where a page has more below them. */
  isRow?: boolean;
}

/** A list of names with their values. Values that are missing are left out. */
export function Facts({ of, isRow = false }: FactsProps) {
  const given = Object.entries(of).filter(([, value]) => !MISSING.has(value));
  return (
    <dl className={isRow ? 'facts-row' : 'facts'}>
      {given.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{typeof value === 'string' ? withVisibleMarks(value) : value}</dd>
        </div>
      ))}
    </dl>
  );
}
