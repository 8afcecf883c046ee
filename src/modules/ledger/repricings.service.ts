import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type Actor, SYSTEM } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { onForeignKey } from '../../platform/database/database.errors.js';
import { Database } from '../../platform/database/database.js';
import { Reads } from '../../platform/database/reads.js';
import { Statements } from '../../platform/database/statements.js';
import { Jobs } from '../../platform/queue/jobs.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { ledgerErrors } from './ledger.errors.js';
import { repriceCalls } from './ledger.jobs.js';
import { Prices } from './prices.service.js';
import { Repricing } from './repricing.entity.js';
import { RepricingRepository } from './repricing.repository.js';
import { totalOf } from './store.counts.js';
import {
  applyStep,
  countChanged,
  failed,
  nextReckoned,
  placeOf,
  type ReckonedRow,
  type Repriced,
  type RepricingRow,
} from './store.reprice.js';
import type { Priced, Reckon } from './stored-call.js';

const CALLS_AT_ONCE = 1_000;

/** Costs of past calls, reckoned again. What writers said themselves is not touched. */
@Injectable()
export class Repricings {
  constructor(
    private readonly database: Database,
    private readonly reads: Reads,
    private readonly statements: Statements,
    private readonly jobs: Jobs,
    private readonly tenancy: TenancyService,
    private readonly prices: Prices,
    private readonly repricings: RepricingRepository,
  ) {}

  async start(actor: Actor, projectId: Id<'project'>, window: { fromDate: Date; toDate: Date }): Promise<Repricing> {
    const all = { projectId, from: window.fromDate, to: window.toDate, dims: null, sessionIds: null };
    const [counted] = await this.reads.one<{ total: number }>(totalOf(all));
    return this.database.transaction(actor, async (em) => {
      const repricing = new Repricing(await this.tenancy.project(projectId), window, counted!.total);
      em.persist(repricing);
      await em.flush().catch(onForeignKey(authErrors.projectNotFound));
      const lane = `${repriceCalls.name}:${projectId}`;
      await this.jobs.add(em, repriceCalls, { repricingId: repricing.id }, { lane, projectId });
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
      const [at] = await this.statements.run<RepricingRow>(placeOf(repricingId));
      if (!at) return;
      await this.step(repricingId, at);
    }
  }

  async gaveUp(em: EntityManager, repricingId: string): Promise<void> {
    await this.statements.runIn(em, failed(repricingId));
  }

  private async step(repricingId: string, at: RepricingRow): Promise<void> {
    const reckon = await this.prices.reckoning(at.project_id as Id<'project'>);
    const looked = await this.statements.run<ReckonedRow>(nextReckoned(at, CALLS_AT_ONCE));
    const changes = looked.map((row) => repriced(row, reckon)).filter((row) => row !== undefined);
    await this.database.transaction(SYSTEM, async (em) => {
      const [done] = await this.statements.runIn<{ moved: boolean; changed: number }>(
        em,
        applyStep(repricingId, at, looked, changes),
      );
      if (done!.moved) await this.statements.runIn(em, countChanged(repricingId, done!.changed));
    });
  }
}

/** The call with its new cost, where that is another one. */
function repriced({ n, ts, cost: oldCost, doc }: ReckonedRow, reckon: Reckon): Repriced | undefined {
  const record = JSON.parse(`${doc}}`) as Priced & { cost: number };
  const { amount: cost, pricing } = reckon(record);
  if (cost === record.cost) return undefined;
  return { n, ts, oldCost, cost, pricing, doc: JSON.stringify({ ...record, cost }).slice(0, -1) };
}
