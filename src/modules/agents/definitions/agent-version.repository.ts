import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { someColumnsOf } from '../../../platform/database/columns.js';
import { planned, type Sql, sql } from '../../../platform/database/sql.js';
import { row, type Statement } from '../../../platform/database/statement.js';
import { type Agent, AgentVersion, type AnsweringVersion } from './agent.entity.js';

export class AgentVersionRepository extends EntityRepository<AgentVersion> {
  ofAgent(agent: Agent, versionId: Id<'agentVersion'>): Promise<AgentVersion | null> {
    return this.findOne({ id: versionId, agent }, { populate: ['agent'] });
  }

  /** Answers null if the agent was deleted after it was read. */
  latest(agent: Agent): Promise<AgentVersion | null> {
    return this.findOne({ agent, number: agent.latestNumber }, { populate: ['agent'] });
  }

  /** Reads a plain row, because every turn asks this. Answers null if the agent has been deleted. */
  answering(versionId: Id<'agentVersion'>): Statement<AnsweringVersion | null> {
    return row(planned`${selectAnswering(sql`${versionId}`)}`);
  }
}

const ANSWERING = [
  'id',
  'agentId',
  'number',
  'instructions',
  'connectionId',
  'modelId',
  'model',
  'toolIds',
  'mcpConnectionIds',
  'welcomeMessage',
  'fallbackMessage',
  'historyTokens',
  'maxSteps',
  'timeoutSeconds',
] as const;

/** Selects an `AnsweringVersion`. All its members have types that survive a conversion to JSON and back. */
export function selectAnswering(versionId: Sql): Sql {
  return sql`select ${someColumnsOf(AgentVersion, ANSWERING, 'v')}, a.name as "agentName"
             from agent_version v join agent a on a.id = v.agent_id where v.id = ${versionId}`;
}
