import type { Id } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { FindsProblems, type Problem, type ProblemSource } from '../tenancy/problems.port.js';
import { ModelReplicaRepository, type Shortage } from './model-replica.repository.js';
import type { ModelView } from './models.schema.js';
import { ModelsService } from './models.service.js';

const MODELS = 100;

@FindsProblems()
export class ModelProblems implements ProblemSource {
  constructor(
    private readonly database: Database,
    private readonly models: ModelsService,
    private readonly modelReplicas: ModelReplicaRepository,
  ) {}

  async problemsOf(projectId: Id<'project'>): Promise<Problem[]> {
    const { items } = await this.models.page(projectId, { limit: MODELS });
    const shortages = await this.database.ask(this.modelReplicas.shortagesIn(projectId));
    return [...items.filter(({ state }) => state === 'FAILED').map(notImported), ...shortages.map(notServed)];
  }
}

function notImported({ modelId, name, error }: ModelView): Problem {
  const message = `The model “${name}” could not be imported. ${error?.message ?? ''}`.trim();
  return { kind: 'MODEL_NOT_IMPORTED', message, subject: modelId };
}

/** A replica that has ended is replaced within seconds, so a problem that stays has another cause. */
function notServed({ modelId, name, wanted, ready, hasHost, hostProblem }: Shortage): Problem {
  const replicas = `${ready} of ${wanted} ${wanted === 1 ? 'replica answers' : 'replicas answer'} calls`;
  const missing = hostProblem ?? 'No process of the service hosts models (MODEL_HOST)';
  const why = hasHost ? 'The log of the service says why.' : `${missing}.`;
  const message = `The model “${name}” is not served as it should be: ${replicas}. ${why}`;
  return { kind: 'MODEL_NOT_SERVED', message, subject: modelId };
}
