import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import type { Page } from '../../../kernel/page.js';
import { authErrors } from '../../../platform/auth/auth.errors.js';
import { onForeignKey } from '../../../platform/database/database.errors.js';
import { Database } from '../../../platform/database/database.js';
import type { Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { modelPriceList, type ModelPricesRequest } from './model-price.list.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { ledgerErrors } from '../ledger.errors.js';
import { ModelPrice, type ModelPriceRow } from './model-price.entity.js';
import { ModelPriceRepository } from './model-price.repository.js';
import { costOf, type Price, PriceTable, readPriceFile, toPriceTable } from './price-table.js';
import type { PayloadPolicy } from '../write/ledger-policy.entity.js';
import type { Cost, PricedUsage, Pricer } from '../write/stored-call.js';

export type { Pricer } from '../write/stored-call.js';

/** Knows what models cost: the prices that administrators set for a project, and the price file for everything else. */
@Injectable()
export class Prices {
  private readonly defaultPrices = toPriceTable(readPriceFile());

  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly prices: ModelPriceRepository,
  ) {}

  /** Returns a function that computes costs with the project's current prices. */
  pricer(projectId: Id<'project'>): Statement<Pricer> {
    return this.prices.ofProject(projectId).as((prices) => this.pricerOf(prices));
  }

  /** Returns such a function together with the project's payload policy, in one statement. */
  pricerAndPolicy(projectId: Id<'project'>): Statement<{ pricer: Pricer; payloads: PayloadPolicy }> {
    return this.prices
      .ofProjectWithPolicy(projectId)
      .as(({ prices, payloads }) => ({ pricer: this.pricerOf(prices), payloads: payloads ?? 'show' }));
  }

  create(actor: Actor, projectId: Id<'project'>, model: string, provider: string, price: Price): Promise<ModelPrice> {
    return this.database.transaction(actor, async (tx) => {
      const created = new ModelPrice(await this.tenancy.project(projectId), model, provider, price);
      tx.em.persist(created);
      await tx.em.flush().catch(onForeignKey(authErrors.projectNotFound));
      return created;
    });
  }

  async list(projectId: Id<'project'>, request: ModelPricesRequest): Promise<Page<ModelPrice>> {
    await this.tenancy.project(projectId);
    return modelPriceList.page(this.prices, { project: projectId }, request);
  }

  async read(projectId: Id<'project'>, modelPriceId: Id<'modelPrice'>): Promise<ModelPrice> {
    await this.tenancy.project(projectId);
    return found(await this.prices.byId(projectId, modelPriceId));
  }

  change(
    actor: Actor,
    projectId: Id<'project'>,
    modelPriceId: Id<'modelPrice'>,
    changes: Partial<Price>,
  ): Promise<ModelPrice> {
    return this.database.transaction(actor, async (tx) => {
      const price = await this.lock(tx, projectId, modelPriceId);
      price.change(changes);
      return price;
    });
  }

  async delete(actor: Actor, projectId: Id<'project'>, modelPriceId: Id<'modelPrice'>): Promise<void> {
    await this.database.transaction(actor, async (tx) => {
      tx.em.remove(await this.lock(tx, projectId, modelPriceId));
    });
  }

  private async lock(tx: Transaction, projectId: Id<'project'>, modelPriceId: Id<'modelPrice'>): Promise<ModelPrice> {
    await this.tenancy.project(projectId);
    return found(await this.prices.lockById(tx, projectId, modelPriceId));
  }

  private pricerOf(prices: readonly ModelPriceRow[]): Pricer {
    const own = new PriceTable();
    for (const price of prices) own.set(price.model, price.provider, price);
    return (call) => this.costOf(own, call);
  }

  private costOf(own: PriceTable, call: PricedUsage): Cost {
    const { model, provider } = call;
    const price = own.find(model, provider) ?? this.defaultPrices.find(model, provider);
    return price ? { amount: costOf(price, call), pricing: 't' } : { amount: 0, pricing: 'u' };
  }
}

function found(price: ModelPrice | null): ModelPrice {
  if (!price) throw ledgerErrors.modelPriceNotFound();
  return price;
}
