import type { EntityMetadata, MikroORM } from '@mikro-orm/postgresql';
import { DAY_MS, HOUR_MS } from '../../kernel/spans.js';
import { noteDefinition } from '../../kernel/named-definitions.js';
import { StartError } from '../../kernel/start-error.js';
import type { Statements } from '../database/statements.js';

type Period = { days: number } | { hours: number };

/** The times before which things are due: the general one, and those of projects with their own periods. */
export interface Cutoffs {
  readonly general: Date;
  readonly ofProjects: ReadonlyMap<string, Date>;
}

export interface SweepContext {
  readonly statements: Statements;
  readonly cutoffs: Cutoffs;
  /**
   * Whether there is time for another step, each of which takes a second at most. The next run removes what is left.
   */
  readonly hasTime: () => boolean;
}

/** How due things are removed: row by row (`oldRows`), or as suits the tables, such as whole partitions. */
export interface Sweep {
  readonly tables: readonly string[];
  /** The column that names the project of a row, or null if all rows have one period. The default is `project_id`. */
  readonly project?: string | null;
  /** Returns how many things it has removed. */
  readonly run: (context: SweepContext) => Promise<number>;
}

/** A kind of data and how long it is kept. Each table that grows has a rule; a test names tables without one. */
export interface RetentionRule {
  /** The name that administrators use. */
  readonly name: string;
  /** The contents of the tables, in words. */
  readonly holds: string;
  readonly keep: Period;
  /** The bounds for periods of projects. Without them one period applies to all. */
  readonly perProject?: { minDays: number; maxDays: number };
  readonly sweep: Sweep;
}

const rules: RetentionRule[] = [];

/** Declares how long rows of a kind are kept. A module that is loaded does so, in `<module>.retention.ts`. */
export function defineRetention(rule: RetentionRule): RetentionRule {
  if (rule.perProject && !('days' in rule.keep))
    throw new StartError(`The periods of projects of the retention ${rule.name} need a default in days.`);
  if (rule.perProject && rule.sweep.project === null)
    throw new StartError(`The retention ${rule.name} has perProject, so oldRows needs the column of the project.`);
  noteDefinition('retention rule', rule.name);
  rules.push(rule);
  return rule;
}

/** Throws if projects have their own periods for rows of which no entity says to which project they belong. */
export function refuseSweepsWithoutProject(orm: MikroORM): void {
  const entities = [...orm.getMetadata().getAll().values()];
  for (const { name, perProject, sweep } of rules) {
    const swept = entities.filter(({ tableName }) => sweep.tables.includes(tableName));
    const column = sweep.project ?? 'project_id';
    if (!perProject || swept.length === 0 || swept.some((entity) => hasColumn(entity, column))) continue;
    const named = swept.map(({ className }) => className).join(' or ');
    throw new StartError(`The retention ${name} has perProject, and ${named} has no column ${column}.`);
  }
}

function hasColumn({ props }: EntityMetadata, column: string): boolean {
  return props.some(({ fieldNames = [] }) => fieldNames.includes(column));
}

export function retentionRules(): RetentionRule[] {
  return rules.toSorted((a, b) => a.name.localeCompare(b.name));
}

export function daysBefore(moment: Date, days: number): Date {
  return new Date(moment.getTime() - days * DAY_MS);
}

export function periodBefore(moment: Date, period: Period): Date {
  return 'days' in period ? daysBefore(moment, period.days) : new Date(moment.getTime() - period.hours * HOUR_MS);
}
