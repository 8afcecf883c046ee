import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Id } from '../../kernel/ids.js';
import { gatewayErrors } from './gateway.errors.js';
import { type CallableModel, type ListedModel, type ModelTarget, modelTargets } from './gateway.port.js';

/** All the models of a project, whoever provides them. */
@Injectable()
export class ModelTargets implements OnModuleInit {
  private targets: ModelTarget[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.targets = modelTargets.find(this.discovery).map(({ provider }) => provider);
  }

  async find(projectId: Id<'project'>, named: string): Promise<CallableModel> {
    for (const target of this.targets) {
      const model = await target.find(projectId, named);
      if (model) return model;
    }
    throw gatewayErrors.modelNotFound();
  }

  async list(projectId: Id<'project'>): Promise<ListedModel[]> {
    const lists = await Promise.all(this.targets.map((target) => target.list(projectId)));
    return lists.flat();
  }
}
