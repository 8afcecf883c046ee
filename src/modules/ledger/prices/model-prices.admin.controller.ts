import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { mapPage } from '../../../kernel/page.js';
import { Administrator } from '../../../platform/auth/callers.js';
import { data, page } from '../../../platform/route/answer.js';
import { PathId } from '../../../platform/route/path-id.js';
import { AdminRoute } from '../../../platform/route/route.js';
import { modelPriceList, type ModelPricesRequest } from './model-price.list.js';
import { ledgerErrors } from '../ledger.errors.js';
import {
  ChangeModelPrice,
  CreateModelPrice,
  ModelPriceGone,
  ModelPriceView,
  toModelPriceView,
} from './model-prices.admin.schema.js';
import { Prices } from './prices.service.js';

@ApiTags('Administration: model prices')
@Controller()
export class ModelPricesAdminController {
  constructor(private readonly prices: Prices) {}

  @AdminRoute('POST /projects/{projectId}/model-prices', {
    summary: 'Set the price of a model for a project, instead of its general price',
    returns: data(ModelPriceView),
    status: 201,
    errors: [ledgerErrors.duplicateModelPrice],
  })
  async create(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @Body({ schema: CreateModelPrice }) { model, provider, ...price }: CreateModelPrice,
  ) {
    return toModelPriceView(await this.prices.create(actor, projectId, model, provider, price));
  }

  @AdminRoute('GET /projects/{projectId}/model-prices', {
    summary: 'List the prices of a project, by default oldest first',
    returns: page(ModelPriceView),
  })
  async list(
    @PathId('project') projectId: Id<'project'>,
    @Query({ schema: modelPriceList.query }) query: ModelPricesRequest,
  ) {
    return mapPage(await this.prices.list(projectId, query), toModelPriceView);
  }

  @AdminRoute('GET /projects/{projectId}/model-prices/{modelPriceId}', {
    summary: 'Read a price of a project',
    returns: data(ModelPriceView),
    errors: [ledgerErrors.modelPriceNotFound],
  })
  async read(@PathId('project') projectId: Id<'project'>, @PathId('modelPrice') modelPriceId: Id<'modelPrice'>) {
    return toModelPriceView(await this.prices.read(projectId, modelPriceId));
  }

  @AdminRoute('PATCH /projects/{projectId}/model-prices/{modelPriceId}', {
    summary: 'Change a price of a project, for calls written from now on',
    returns: data(ModelPriceView),
    errors: [ledgerErrors.modelPriceNotFound],
  })
  async change(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @PathId('modelPrice') modelPriceId: Id<'modelPrice'>,
    @Body({ schema: ChangeModelPrice }) changes: ChangeModelPrice,
  ) {
    return toModelPriceView(await this.prices.change(actor, projectId, modelPriceId, changes));
  }

  @AdminRoute('DELETE /projects/{projectId}/model-prices/{modelPriceId}', {
    summary: 'Delete a price of a project, so that the general price applies again',
    returns: data(ModelPriceGone),
    errors: [ledgerErrors.modelPriceNotFound],
  })
  async delete(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @PathId('modelPrice') modelPriceId: Id<'modelPrice'>,
  ) {
    return this.prices.delete(actor, projectId, modelPriceId).then(() => ({ modelPriceId }));
  }
}
