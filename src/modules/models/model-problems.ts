import type { Id } from '../../kernel/ids.js';
import { FindsProblems, type Problem, type ProblemSource } from '../tenancy/problems.port.js';
import { ModelsService } from './models.service.js';

const MODELS = 100;

@FindsProblems()
export class ModelProblems implements ProblemSource {
  constructor(private readonly models: ModelsService) {}

  async problemsOf(projectId: Id<'project'>): Promise<Problem[]> {
    const { items } = await this.models.page(projectId, { limit: MODELS });
    return items.flatMap(({ modelId, name, state, error, deployment }): Problem[] => {
      const about = (kind: Problem['kind'], text: string) => [{ kind, message: text.trim(), subject: modelId }];
      if (state === 'FAILED')
        return about('MODEL_NOT_IMPORTED', `The model ${name} could not be imported. ${error?.message ?? ''}`);
      if (!deployment?.error) return [];
      return about('MODEL_NOT_SERVED', `The model ${name} is not served as it should be. ${deployment.error.message}`);
    });
  }
}
