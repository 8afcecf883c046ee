import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { Actor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { mapInSteps } from '../../../kernel/turns.js';
import { Database } from '../../../platform/database/database.js';
import { asOne, type Statement } from '../../../platform/database/statement.js';
import { RetentionPeriods } from '../../../platform/retention/retention-periods.js';
import type { GivenCall } from '../call.schema.js';
import { CallPayloadRepository } from '../call-payload.repository.js';
import { CallAdding } from './call-adding.service.js';
import { callsOf, checkForeignRow, type CheckedRow, checkRow, isOlder, KEPT_DAYS } from './check-calls.js';
import { payloadRules } from './cluster-writing.statements.js';
import { callRetention } from '../ledger.retention.js';
import { Partitions } from './partitions.js';
import { Prices } from '../prices/prices.service.js';
import { type Pricer, type StoredCall, toStoredCalls } from './stored-call.js';

/** A call as its writer gives it, without the defaults. */
export type CallToWrite = z.input<typeof GivenCall>;

export interface Written {
  accepted: number;
  duplicates: number;
  /** The models of accepted calls without any price, which therefore cost 0. */
  unpriced: string[];
}

@Injectable()
export class LedgerWriting {
  constructor(
    private readonly database: Database,
    private readonly partitions: Partitions,
    private readonly prices: Prices,
    private readonly periods: RetentionPeriods,
    private readonly adding: CallAdding,
    private readonly payloads: CallPayloadRepository,
  ) {}

  /** Deletes the payloads of a session's calls, and returns their number. */
  deletePayloads(tx: Transaction, projectId: Id<'project'>, sessionId: string): Promise<number> {
    return tx.ask(this.payloads.deleteOfSession(projectId, sessionId));
  }

  /** Fails if the database that has the ledger of the project does not answer. */
  async checkReachable(projectId: Id<'project'>): Promise<void> {
    await this.database.ask(payloadRules(projectId));
  }

  /** Writes the rows of a client, all or none of them. Calls without a cost get one from the current prices. */
  async writeRows(actor: Actor, projectId: Id<'project'>, rows: readonly unknown[]): Promise<Written> {
    const checked = await mapInSteps(rows, checkForeignRow);
    const given = callsOf(checked, await this.keptDays(projectId, checked));
    if (given.length === 0) return { accepted: 0, duplicates: 0, unpriced: [] };
    const pricer = await this.database.ask(this.prices.pricer(projectId));
    const calls = distinct(await toStoredCalls(given, pricer));
    const accepted = await this.partitions.withPartitions(timesOf(calls), () =>
      this.database.transaction(actor, () => this.adding.add(projectId, calls)),
    );
    return {
      accepted: accepted.length,
      duplicates: given.length - accepted.length,
      unpriced: unpricedModels(calls, new Set(accepted)),
    };
  }

  /**
   * Writes the calls of another module, all or none of them. Calls that the project's retention would delete at once
   * are left out. The writes of `alongside` are sent with the first statement; the last of them returns rows. An open
   * transaction is joined.
   */
  async write(
    projectId: Id<'project'>,
    calls: readonly CallToWrite[],
    pricer: Pricer,
    alongside: readonly Statement<unknown>[],
  ): Promise<void> {
    const checked = await mapInSteps(calls, checkRow);
    const keptDays = await this.keptDays(projectId, checked);
    const isExpired = ({ call }: CheckedRow) => call !== null && isOlder(call.timestamp, keptDays);
    const given = callsOf(
      checked.filter((row) => !isExpired(row)),
      keptDays,
    );
    if (given.length > 0) {
      const stored = distinct(await toStoredCalls(given, pricer));
      await this.partitions.withPartitions(timesOf(stored), () => this.adding.add(projectId, stored, alongside));
    } else if (alongside.length > 0) {
      await this.database.ask(asOne(alongside.slice(0, -1), alongside.at(-1)!));
    }
  }

  /** Returns how long the project keeps calls. Its setting is read only if a call is old enough for it to matter. */
  private async keptDays(projectId: Id<'project'>, rows: readonly CheckedRow[]): Promise<number> {
    const shortest = callRetention.perProject!.minDays;
    if (!rows.some(({ time }) => time && isOlder(time, shortest))) return KEPT_DAYS;
    return (await this.periods.ownDays(callRetention, projectId)) ?? KEPT_DAYS;
  }
}

/** Keeps the first of several calls with the same `callId`; the others are duplicates. */
function distinct(calls: readonly StoredCall[]): StoredCall[] {
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
