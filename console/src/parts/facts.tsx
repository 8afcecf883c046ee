import type { ReactNode } from 'react';

const MISSING: ReadonlySet<ReactNode> = new Set([null, undefined, false, '']);

/** A list of names with their values. Values that are missing are left out. */
export function Facts({ of }: { of: Readonly<Record<string, ReactNode>> }) {
  const given = Object.entries(of).filter(([, value]) => !MISSING.has(value));
  return (
    <dl className="facts">
      {given.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
