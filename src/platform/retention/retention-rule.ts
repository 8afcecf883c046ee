import { DAY_MS, HOUR_MS } from '../../kernel/spans.js';
import type { Statements } from '../database/statements.js';

type Period = { days: number } | { hours: number };

/** From when on back things are due: in general, and in the projects that have periods of their own. */
export interface Cutoffs {
  readonly general: Date;
  readonly ofProjects: ReadonlyMap<string, Date>;
}

export interface SweepContext {
  readonly statements: Statements;
  readonly cutoffs: Cutoffs;
  /** Asked between steps of a second at most; what is left when it says no is for the next run. */
  readonly hasTime: () => boolean;
}

/** How what is due goes: row by row (`oldRows`), or as suits the tables, such as whole partitions. */
export interface Sweep {
  readonly tables: readonly string[];
  /** How many things it has removed. */
  readonly run: (context: SweepContext) => Promise<number>;
}

/** What is kept for how long: one a table that grows. A test names a table without one. */
export interface RetentionRule {
  /** As administrators write it. */
  readonly name: string;
  /** What it holds, in words. */
  readonly holds: string;
  readonly keep: Period;
  /** The bounds within which projects may have a period of their own; without them there is one for all. */
  readonly perProject?: { minDays: number; maxDays: number };
  readonly sweep: Sweep;
}

const rules = new Map<string, RetentionRule>();

export function defineRetention(rule: RetentionRule): RetentionRule {
  if (rules.has(rule.name)) throw new Error(`The retention ${rule.name} is defined twice`);
  if (rule.perProject && !('days' in rule.keep)) throw new Error(`${rule.name}: periods of projects are in days`);
  rules.set(rule.name, rule);
  return rule;
}

export function retentionRules(): RetentionRule[] {
  return [...rules.values()].sort((a, b) => a.name.localeCompare(b.name));
}

export function daysBefore(moment: Date, days: number): Date {
  return new Date(moment.getTime() - days * DAY_MS);
}

export function periodBefore(moment: Date, period: Period): Date {
  return 'days' in period ? daysBefore(moment, period.days) : new Date(moment.getTime() - period.hours * HOUR_MS);
}
