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
import type { PricedUsage, Pricer } from '../write/stored-call.js';

const CALLS_AT_ONCE = 1_000;

/** Computes the costs of past calls again. Costs that writers sent are not changed. */
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

  /**
   * Continues from the stored position until no call is left. Each step is one transaction, so a crash loses nothing.
   */
  async run(repricingId: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const repricing = await this.database.ask(this.repricings.inProgress(repricingId));
      if (!repricing) return;
      await this.repriceNext(repricing);
    }
  }

  async lock(tx: Transaction, repricingId: string): Promise<void> {
    await tx.ask(this.repricings.lock(repricingId));
  }

  async markFailed(tx: Transaction, repricingId: string): Promise<void> {
    await tx.ask(this.repricings.fail(repricingId));
  }

  private async repriceNext(repricing: RepricingRow): Promise<void> {
    const pricer = await this.database.ask(this.prices.pricer(repricing.projectId));
    const examined = await this.database.ask(this.calls.nextToReprice(repricing, CALLS_AT_ONCE));
    const changes = examined.map((call) => repriced(call, pricer)).filter((call) => call !== undefined);
    await this.database.transaction(SYSTEM, async (tx) => {
      if (!(await tx.ask(this.repricings.advance(repricing, examined)))) return;
      if (changes.length === 0) return;
      const changed = await tx.ask(this.repricings.reprice(repricing.projectId, changes));
      tx.defer(this.repricings.countChanged(repricing.id, changed));
    });
  }
}

/** Returns the call with its new cost, or undefined if the cost is the same. */
function repriced({ number, time, dim, cost: oldCost, doc }: CallRow, pricer: Pricer): Repriced | undefined {
  const record = JSON.parse(`${doc}}`) as PricedUsage & { cost: number };
  const { amount: cost, pricing } = pricer(record);
  if (cost === record.cost) return undefined;
  return { number, time, dim, oldCost, cost, pricing, doc: JSON.stringify({ ...record, cost }).slice(0, -1) };
}
