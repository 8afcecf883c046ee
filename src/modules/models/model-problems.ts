import type { Id } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { FindsProblems, type Problem, ProblemSource, quoted } from '../tenancy/problems.port.js';
import { ModelHosts } from './hosts/model-hosts.js';
import type { Model } from './model.entity.js';
import { ModelRepository } from './model.repository.js';
import { ModelReplicaRepository, type Shortage } from './model-replica.repository.js';

/** The most failed imports that are listed. */
const MOST = 100;

@FindsProblems()
export class ModelProblems extends ProblemSource {
  constructor(
    private readonly database: Database,
    private readonly models: ModelRepository,
    private readonly modelReplicas: ModelReplicaRepository,
    private readonly hosts: ModelHosts,
  ) {
    super();
  }

  async problemsOf(projectId: Id<'project'>): Promise<Problem[]> {
    const failed = await this.models.failed(projectId, MOST);
    const shortages = await this.database.ask(this.modelReplicas.shortagesIn(projectId, this.hosts.fleetNames()));
    return [...failed.map(notImported), ...shortages.map(notServed)];
  }
}

function notImported({ id, name, failure }: Model): Problem {
  const message = `The model ${quoted(name)} could not be imported. ${failure?.message ?? ''}`.trim();
  return { kind: 'MODEL_NOT_IMPORTED', message, subject: id };
}

/** A replica that has ended is replaced within seconds, so a problem that stays has another cause. */
function notServed({ modelId, name, wanted, ready, hasHost, hostProblem }: Shortage): Problem {
  const replicas = `${ready} of ${wanted} ${wanted === 1 ? 'replica answers' : 'replicas answer'} calls`;
  const missing = hostProblem ?? 'No process of the service hosts models (MODEL_HOST)';
  const why = hasHost ? 'The log of the service says why.' : `${missing}.`;
  const message = `The model ${quoted(name)} is not served as it should be: ${replicas}. ${why}`;
  return { kind: 'MODEL_NOT_SERVED', message, subject: modelId };
}
