import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { SlipwayError } from '../../kernel/errors.js';
import type { Id } from '../../kernel/ids.js';
import { isStorable } from '../../kernel/storable-text.js';
import { gatewayErrors } from './gateway.errors.js';
import { type CallableModel, type ListedModel, type ModelTarget, modelTargets } from './gateway.port.js';

/** All the models of a project, whoever provides them. */
@Injectable()
export class ModelTargets implements OnModuleInit {
  private targets: ModelTarget[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.targets = modelTargets.find(this.discovery);
  }

  /** One that can be called goes before one of the same name that is there and cannot. */
  async find(projectId: Id<'project'>, named: string): Promise<CallableModel> {
    let refusal = gatewayErrors.modelNotFound();
    // In a path stands anything; what no column can hold is no model's name.
    if (!isStorable(named)) throw refusal;
    for (const target of this.targets) {
      try {
        const model = await target.find(projectId, named);
        if (model) return model;
      } catch (error) {
        if (!(error instanceof SlipwayError)) throw error;
        refusal = error;
      }
    }
    throw refusal;
  }

  async list(projectId: Id<'project'>): Promise<ListedModel[]> {
    const lists = await Promise.all(this.targets.map((target) => target.list(projectId)));
    return lists.flat();
  }
}
