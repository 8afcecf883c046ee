import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Id } from '../../kernel/ids.js';
import { gatewayErrors } from './gateway.errors.js';
import { type CallableModel, type ListedModel, type ModelTarget, providesModels } from './gateway.port.js';

/** All the models of a project, whoever provides them. */
@Injectable()
export class ModelTargets {
  private targets: ModelTarget[] | undefined;

  constructor(private readonly discovery: DiscoveryService) {}

  async find(projectId: Id<'project'>, named: string): Promise<CallableModel> {
    for (const target of this.all()) {
      const model = await target.find(projectId, named);
      if (model) return model;
    }
    throw gatewayErrors.modelNotFound();
  }

  async list(projectId: Id<'project'>): Promise<ListedModel[]> {
    const lists = await Promise.all(this.all().map((target) => target.list(projectId)));
    return lists.flat();
  }

  private all(): ModelTarget[] {
    this.targets ??= this.discovery
      .getProviders()
      .map(({ instance }) => instance as object | undefined)
      .filter((instance): instance is ModelTarget => !!instance?.constructor && providesModels(instance.constructor));
    return this.targets;
  }
}
