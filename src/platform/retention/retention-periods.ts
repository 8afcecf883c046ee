import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { Database } from '../database/database.js';
import type { Issue } from '../route/validation.js';
import { ProjectRetentionRepository } from './project-retention.repository.js';
import { type Cutoffs, daysBefore, periodBefore, type RetentionRule, retentionRules } from './retention-rule.js';

/** How long a project keeps something. */
export interface ProjectPeriod {
  name: string;
  holds: string;
  days: number;
  defaultDays: number;
  minDays: number;
  maxDays: number;
}

/** Days by the name of the rule; null selects the default. */
export type PeriodChanges = Readonly<Record<string, number | null>>;

/** Knows how long things are kept: the defined periods, and those of projects that set their own. */
@Injectable()
export class RetentionPeriods {
  constructor(
    private readonly database: Database,
    private readonly own: ProjectRetentionRepository,
    private readonly audit: AuditTrail,
  ) {}

  async ofProject(projectId: Id<'project'>): Promise<ProjectPeriod[]> {
    const own = await this.ownOf(projectId);
    return [...perProject().values()].map((rule) => ({ ...rule, days: own.get(rule.name) ?? rule.defaultDays }));
  }

  /** Returns the days for which a project keeps what the rule covers, if the project sets its own period. */
  async ownDays({ name }: RetentionRule, projectId: Id<'project'>): Promise<number | undefined> {
    return (await this.ownOf(projectId)).get(name);
  }

  /** Changes the given periods and leaves the others as they are. The project must exist, and the changes be valid. */
  async change(actor: Actor, projectId: Id<'project'>, changes: PeriodChanges): Promise<ProjectPeriod[]> {
    await this.database.transaction(actor, async (tx) => {
      const before = await this.ownOf(projectId);
      // Every transaction writes them in the order of their names, so that two of them cannot deadlock.
      const wanted = Object.entries(changes).sort(([a], [b]) => (a < b ? -1 : 1));
      const changed = wanted.filter(([name, days]) => days !== (before.get(name) ?? null));
      if (changed.length === 0) return;
      await tx.askAll(
        changed.map(([name, days]) =>
          days === null ? this.own.forget(projectId, name) : this.own.keep({ projectId, name, days }),
        ),
      );
      this.audit.note(tx, {
        kind: 'retention',
        targetId: projectId,
        projectId,
        change: 'changed',
        before: Object.fromEntries(changed.map(([name]) => [name, before.get(name) ?? null])),
        after: Object.fromEntries(changed),
      });
    });
    return this.ofProject(projectId);
  }

  async cutoffs({ name, keep, perProject: bounds }: RetentionRule): Promise<Cutoffs> {
    const now = clock.now();
    const own = bounds ? await this.database.ask(this.own.named(name)) : [];
    return {
      general: periodBefore(now, keep),
      ofProjects: new Map(own.map(({ projectId, days }) => [projectId, daysBefore(now, days)])),
    };
  }

  /** Reads the project's own periods: days by name. */
  private async ownOf(projectId: Id<'project'>): Promise<Map<string, number>> {
    const own = await this.database.ask(this.own.ofProject(projectId));
    return new Map(own.map(({ name, days }) => [name, days]));
  }
}

/** The rules that projects may change, by name. */
function perProject(): Map<string, Omit<ProjectPeriod, 'days'>> {
  const settable = retentionRules().flatMap(({ name, holds, keep, perProject: bounds }) =>
    bounds && 'days' in keep ? [{ name, holds, defaultDays: keep.days, ...bounds }] : [],
  );
  return new Map(settable.map((rule) => [rule.name, rule]));
}

/** Returns what is wrong with the changes, for the schema that validates it. */
export function faultsOf(changes: PeriodChanges): Issue[] {
  const rules = perProject();
  return Object.entries(changes).flatMap(([name, days]) => {
    const rule = rules.get(name);
    const path = [name];
    if (!rule) return [{ path, message: `is not known; the known names are ${[...rules.keys()].join(', ')}` }];
    const isWithin = days === null || (Number.isInteger(days) && days >= rule.minDays && days <= rule.maxDays);
    return isWithin ? [] : [{ path, message: `must be whole days from ${rule.minDays} to ${rule.maxDays}, or null` }];
  });
}
