import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { columns, planned } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import type { AgentBehaviour } from './agent.entity.js';

/** Who answers in a turn. */
export interface Version extends AgentBehaviour {
  agentId: Id<'agent'>;
  agentName: string;
}

const VERSION = columns<Version>({
  agentId: 'v.agent_id',
  agentName: 'a.name',
  instructions: 'v.instructions',
  connectionId: 'v.connection_id',
  modelId: 'v.model_id',
  model: 'v.model',
  toolIds: 'v.tool_ids',
  welcomeMessage: 'v.welcome_message',
  fallbackMessage: 'v.fallback_message',
  historyTokens: 'v.history_tokens',
  maxSteps: 'v.max_steps',
  timeoutSeconds: 'v.timeout_seconds',
});

/** Asked with every turn, so without the entities. */
@Injectable()
export class Versions {
  constructor(private readonly statements: Statements) {}

  async find(versionId: Id<'agentVersion'>): Promise<Version | null> {
    const [version] = await this.statements.run<Version>(
      planned`select ${VERSION} from agent_version v join agent a on a.id = v.agent_id where v.id = ${versionId}`,
    );
    return version ?? null;
  }
}
