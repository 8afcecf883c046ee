import { Injectable } from '@nestjs/common';
import type { Model } from './model.entity.js';
import { ModelRepository } from './model.repository.js';

/** Finds the model that an adapter was made for, among the models of its project. */
@Injectable()
export class BaseModels {
  constructor(private readonly models: ModelRepository) {}

  async of({ project, scopeId, facts }: Model): Promise<Model | { missing: string }> {
    const wanted = facts?.baseModel;
    if (wanted === undefined) {
      return { missing: 'The adapter does not say for which model it was made (general.base_model.0.name).' };
    }
    const candidates = await this.models.imported(project.id);
    const bases = candidates.filter((each) => isNamed(each, wanted) && each.facts?.format === 'gguf' && each.file);
    // Another scope may give any name to a model, so it must not get between an adapter and a base of the same scope.
    const base = bases.find((each) => each.scopeId === scopeId) ?? bases[0];
    if (base) return base;
    return {
      missing: `The adapter was made for ${wanted}. Import that model as GGUF, or give this name to the one that is already imported.`,
    };
  }
}

/** Compares by id, name and the name in the model's file. The publisher's name before a slash makes no difference. */
function isNamed({ id, name, facts }: Model, wanted: string): boolean {
  return (
    wanted === id ||
    [name, facts?.name ?? ''].some((given) => normalized(given) !== '' && normalized(given) === normalized(wanted))
  );
}

function normalized(name: string): string {
  return name
    .slice(name.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/[\s_-]+/g, '-');
}
