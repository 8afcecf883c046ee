import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { Actor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { Statements } from '../../platform/database/statements.js';
import { RetentionPeriods } from '../../platform/retention/retention-periods.js';
import type { GivenCall } from './call.schema.js';
import { checkCalls, isOlder, refuseOlder } from './check-calls.js';
import { callRetention } from './ledger.retention.js';
import { Partitions } from './partitions.js';
import { Prices } from './prices.service.js';
import { forgetPayloadsOf } from './store.forget-payloads.js';
import { insertCalls } from './store.insert-calls.js';
import { type Reckon, type StoredCall, toStoredCall } from './stored-call.js';

/** A call as its writer gives it. */
export type CallToWrite = z.input<typeof GivenCall>;

export interface Written {
  accepted: number;
  duplicates: number;
  /** Models of accepted calls for which nobody named a price. */
  unpriced: string[];
}

@Injectable()
export class LedgerWriting {
  constructor(
    private readonly database: Database,
    private readonly statements: Statements,
    private readonly partitions: Partitions,
    private readonly prices: Prices,
    private readonly periods: RetentionPeriods,
  ) {}

  /** What was said in the calls of a session goes, for good; how many they were. */
  async forgetPayloads(em: EntityManager, projectId: Id<'project'>, sessionId: string): Promise<number> {
    const query = forgetPayloadsOf(projectId, sessionId);
    const [row] = await this.statements.runIn<{ count: number }>(em, query);
    return row?.count ?? 0;
  }

  /** Those that are not due already, by how long the project keeps calls. */
  async stillKept(projectId: Id<'project'>, calls: readonly CallToWrite[]): Promise<CallToWrite[]> {
    const days = await this.ownDays(
      projectId,
      calls.map(({ timestamp }) => new Date(timestamp)),
    );
    return calls.filter(({ timestamp }) => days === undefined || !isOlder(new Date(timestamp), days));
  }

  /**
   * All of them or none, by the prices of this moment unless the caller knows others. A call that the project has
   * already is a duplicate and changes nothing.
   */
  async write(actor: Actor, projectId: Id<'project'>, rows: readonly unknown[], known?: Reckon): Promise<Written> {
    const given = checkCalls(rows);
    const ownDays = await this.ownDays(
      projectId,
      given.map(({ timestamp }) => timestamp),
    );
    if (ownDays !== undefined) refuseOlder(given, ownDays);
    const reckon = known ?? (await this.prices.reckoning(projectId));
    const calls = given.map((call) => toStoredCall(call, reckon));
    const once = [...new Map(calls.toReversed().map((call) => [call.callId, call])).values()];
    const times = once.map(({ time }) => time);
    const accepted = await this.partitions.writingAt(times, () =>
      this.database.transaction(actor, (em) =>
        this.statements.runIn<{ call_id: string }>(em, insertCalls(projectId, once)),
      ),
    );
    return {
      accepted: accepted.length,
      duplicates: rows.length - accepted.length,
      unpriced: unpricedModels(once, new Set(accepted.map(({ call_id: callId }) => callId))),
    };
  }

  /** How long the project keeps calls if it says so itself; asked only where a call is old enough to be due. */
  private async ownDays(projectId: Id<'project'>, times: readonly Date[]): Promise<number | undefined> {
    const shortest = callRetention.perProject!.minDays;
    return times.some((time) => isOlder(time, shortest)) ? this.periods.ownDays(callRetention, projectId) : undefined;
  }
}

function unpricedModels(calls: readonly StoredCall[], accepted: ReadonlySet<string>): string[] {
  const models = calls
    .filter(({ callId, cost }) => cost.pricing === 'u' && accepted.has(callId))
    .map(({ dim }) => dim.model);
  return [...new Set(models)].sort();
}
