import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import { type Actor, SYSTEM } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { authErrors } from '../../../platform/auth/auth.errors.js';
import { onForeignKey } from '../../../platform/database/database.errors.js';
import { Database } from '../../../platform/database/database.js';
import { Reads } from '../../../platform/database/reads.js';
import { Jobs } from '../../../platform/queue/jobs.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import type { CallRow } from '../call.entity.js';
import { CallRepository } from '../call.repository.js';
import { ledgerErrors } from '../ledger.errors.js';
import { repriceCalls } from '../ledger.jobs.js';
import { Prices } from './prices.service.js';
import { Repricing, type RepricingRow } from './repricing.entity.js';
import { type Repriced, RepricingRepository } from './repricing.repository.js';
import type { Priced, Reckon } from '../write/stored-call.js';

const CALLS_AT_ONCE = 1_000;

/** Costs of past calls, reckoned again. What writers said themselves is not touched. */
@Injectable()
export class Repricings {
  constructor(
    private readonly database: Database,
    private readonly reads: Reads,
    private readonly jobs: Jobs,
    private readonly tenancy: TenancyService,
    private readonly prices: Prices,
    private readonly repricings: RepricingRepository,
    private readonly calls: CallRepository,
  ) {}

  async start(actor: Actor, projectId: Id<'project'>, window: { fromDate: Date; toDate: Date }): Promise<Repricing> {
    const all = { projectId, from: window.fromDate, to: window.toDate, dims: null, sessionIds: null };
    const total = await this.reads.one(this.calls.total(all));
    return this.database.transaction(actor, async (tx) => {
      const repricing = new Repricing(await this.tenancy.project(projectId), window, total);
      tx.em.persist(repricing);
      await tx.em.flush().catch(onForeignKey(authErrors.projectNotFound));
      const lane = `${repriceCalls.name}:${projectId}`;
      await this.jobs.add(tx, repriceCalls, { repricingId: repricing.id }, { lane, projectId });
      return repricing;
    });
  }

  async read(projectId: Id<'project'>, repricingId: Id<'repricing'>): Promise<Repricing> {
    const repricing = await this.repricings.byId(projectId, repricingId);
    if (!repricing) throw ledgerErrors.repricingNotFound();
    return repricing;
  }

  /** Goes on from where it is, step by step; each step is whole or was not. */
  async goOn(repricingId: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const repricing = await this.database.ask(this.repricings.inProgress(repricingId));
      if (!repricing) return;
      await this.step(repricing);
    }
  }

  async lock(tx: Transaction, repricingId: string): Promise<void> {
    await tx.ask(this.repricings.lock(repricingId));
  }

  async failed(tx: Transaction, repricingId: string): Promise<void> {
    await tx.ask(this.repricings.fail(repricingId));
  }

  private async step(repricing: RepricingRow): Promise<void> {
    const reckon = await this.database.ask(this.prices.reckoning(repricing.projectId));
    const looked = await this.database.ask(this.calls.nextReckoned(repricing, CALLS_AT_ONCE));
    const changes = looked.map((call) => repriced(call, reckon)).filter((call) => call !== undefined);
    await this.database.transaction(SYSTEM, async (tx) => {
      const { moved, changed } = await tx.ask(this.repricings.step(repricing, looked, changes));
      if (moved) await tx.ask(this.repricings.countChanged(repricing.id, changed));
    });
  }
}

/** The call with its new cost, where that is another one. */
function repriced({ number, time, dim, cost: oldCost, doc }: CallRow, reckon: Reckon): Repriced | undefined {
  const record = JSON.parse(`${doc}}`) as Priced & { cost: number };
  const { amount: cost, pricing } = reckon(record);
  if (cost === record.cost) return undefined;
  return { number, time, dim, oldCost, cost, pricing, doc: JSON.stringify({ ...record, cost }).slice(0, -1) };
}
