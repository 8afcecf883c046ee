import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { SlipwayError } from '../../kernel/errors.js';
import type { Id } from '../../kernel/ids.js';
import { isStorable } from '../../kernel/storable-text.js';
import { gatewayErrors } from './gateway.errors.js';
import { type CallableModel, type ListedModel, type ModelTarget, modelTargets } from './gateway.port.js';

/** All models of a project, from all sources. */
@Injectable()
export class ModelTargets implements OnModuleInit {
  private targets: ModelTarget[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.targets = modelTargets.find(this.discovery);
  }

  /**
   * Returns the model of this name. A model that can be called takes precedence over one of the same name that cannot.
   */
  async find(projectId: Id<'project'>, named: string): Promise<CallableModel> {
    // The name may come from a path. Characters that PostgreSQL cannot store would fail the query.
    if (!isStorable(named)) throw gatewayErrors.modelNotFound();
    let refusal: SlipwayError | undefined;
    for (const target of this.targets) {
      try {
        const model = await target.find(projectId, named);
        if (model) return model;
      } catch (error) {
        if (!(error instanceof SlipwayError)) throw error;
        refusal = error;
      }
    }
    throw refusal ?? gatewayErrors.modelNotFound();
  }

  /** Lists a name once if several sources have it, with the model that a call gets. */
  async list(projectId: Id<'project'>): Promise<ListedModel[]> {
    const lists = await Promise.all(this.targets.map((target) => target.list(projectId)));
    const byName = new Map<string, ListedModel>();
    for (const model of lists.flat()) {
      if (!byName.has(model.id)) byName.set(model.id, model);
    }
    return [...byName.values()];
  }
}
