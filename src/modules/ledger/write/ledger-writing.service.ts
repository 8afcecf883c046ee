import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { Actor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import { asOne, type Statement } from '../../../platform/database/statement.js';
import { RetentionPeriods } from '../../../platform/retention/retention-periods.js';
import { CallRepository } from '../call.repository.js';
import type { GivenCall } from '../call.schema.js';
import { CallPayloadRepository } from '../call-payload.repository.js';
import { callsOf, checkForeignRow, type CheckedRow, checkRow, isOlder, KEPT_DAYS } from './check-calls.js';
import { callRetention } from '../ledger.retention.js';
import { Partitions } from './partitions.js';
import { Prices } from '../prices/prices.service.js';
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
    private readonly partitions: Partitions,
    private readonly prices: Prices,
    private readonly periods: RetentionPeriods,
    private readonly calls: CallRepository,
    private readonly payloads: CallPayloadRepository,
  ) {}

  /** What was said in the calls of a session goes, for good; how many they were. */
  forgetPayloads(tx: Transaction, projectId: Id<'project'>, sessionId: string): Promise<number> {
    return tx.ask(this.payloads.forgetOfSession(projectId, sessionId));
  }

  /** What came from outside: all of it or nothing, by the prices of this moment. */
  async take(actor: Actor, projectId: Id<'project'>, rows: readonly unknown[]): Promise<Written> {
    const checked = rows.map(checkForeignRow);
    const given = callsOf(checked, await this.keptDays(projectId, checked));
    if (given.length === 0) return { accepted: 0, duplicates: 0, unpriced: [] };
    const calls = storedOnce(given, await this.database.ask(this.prices.reckoning(projectId)));
    const accepted = await this.partitions.writingAt(timesOf(calls), () =>
      this.database.transaction(actor, (tx) => tx.ask(this.calls.add(projectId, calls))),
    );
    return {
      accepted: accepted.length,
      duplicates: given.length - accepted.length,
      unpriced: unpricedModels(calls, new Set(accepted)),
    };
  }

  /**
   * All of them or none, but for those that are due already, and in the same statement what belongs to them, of which the
   * last one returns rows. Part of the open transaction where there is one, else a transaction of its own.
   */
  async write(
    projectId: Id<'project'>,
    calls: readonly CallToWrite[],
    reckon: Reckon,
    together: readonly Statement<unknown>[],
  ): Promise<void> {
    const checked = calls.map(checkRow);
    const keptDays = await this.keptDays(projectId, checked);
    const isDue = ({ call }: CheckedRow) => call !== null && isOlder(call.timestamp, keptDays);
    const given = callsOf(
      checked.filter((row) => !isDue(row)),
      keptDays,
    );
    if (given.length > 0) {
      const stored = storedOnce(given, reckon);
      const written = this.calls.add(projectId, stored, together);
      await this.partitions.writingAt(timesOf(stored), () => this.database.ask(written));
    } else if (together.length > 0) {
      await this.database.ask(asOne(together.slice(0, -1), together.at(-1)!));
    }
  }

  /** How long the project keeps calls; it is asked only where a call is old enough to be due. */
  private async keptDays(projectId: Id<'project'>, rows: readonly CheckedRow[]): Promise<number> {
    const shortest = callRetention.perProject!.minDays;
    if (!rows.some(({ call }) => call && isOlder(call.timestamp, shortest))) return KEPT_DAYS;
    return (await this.periods.ownDays(callRetention, projectId)) ?? KEPT_DAYS;
  }
}

/** A call that the project has already is a duplicate and changes nothing; so is one that is given twice. */
function storedOnce(given: readonly GivenCall[], reckon: Reckon): StoredCall[] {
  const calls = given.map((call) => toStoredCall(call, reckon));
  return [...new Map(calls.toReversed().map((call) => [call.callId, call])).values()];
}

function timesOf(calls: readonly StoredCall[]): Date[] {
  return calls.map(({ time }) => time);
}

function unpricedModels(calls: readonly StoredCall[], accepted: ReadonlySet<string>): string[] {
  const models = calls
    .filter(({ callId, cost }) => cost.pricing === 'u' && accepted.has(callId))
    .map(({ dim }) => dim.model);
  return [...new Set(models)].sort();
}
