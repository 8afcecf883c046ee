import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { someColumnsOf } from '../../../platform/database/columns.js';
import { planned, type Sql, sql } from '../../../platform/database/sql.js';
import { row, rows, type Statement, write } from '../../../platform/database/statement.js';
import type { Welcome } from '../../sessions/sessions.port.js';
import type { AppWithEnvironment } from '../../tenancy/environments.service.js';
import { toEnvironmentName } from '../../tenancy/app.entity.js';
import { Activation, type ActivationRow } from './activation.entity.js';
import { type Agent, AgentVersion, type AgentVersionRow } from './agent.entity.js';

const HISTORY = 100;
const WELCOME = 'Hello! How can I help you?';

/** The version that answers in an environment, as far as whoever passes messages on has to know it. */
export type ActiveVersion = Pick<ActivationRow, 'environmentId' | 'versionId'> &
  Pick<AgentVersionRow, 'agentId' | 'welcomeMessage'>;

/** What is said first where this one is active, or none. */
export function welcomeOf(active: ActiveVersion | null): Welcome {
  return { message: active?.welcomeMessage ?? WELCOME, versionId: active?.versionId ?? null };
}

/** Where a message is to be answered, and who answers there; null where nobody does. */
export interface Answering {
  found: AppWithEnvironment | null;
  active: ActiveVersion | null;
}

export class ActivationRepository extends EntityRepository<Activation> {
  now(envId: Id<'environment'>): Promise<Activation | null> {
    return this.findOne({ environment: envId, endedAt: null }, { populate: ['version.agent'] });
  }

  /** Newest first. */
  history(envId: Id<'environment'>): Promise<Activation[]> {
    return this.find(
      { environment: envId },
      { orderBy: { number: 'desc' }, limit: HISTORY, populate: ['version.agent'] },
    );
  }

  /** Where an agent is active now. */
  ofAgent(agent: Agent): Promise<Activation[]> {
    return this.find({ version: { agent }, endedAt: null }, { populate: ['environment'] });
  }

  activeIn(envIds: readonly Id<'environment'>[]): Statement<ActiveVersion[]> {
    return rows(activeWhere(sql`a.environment_id = any(${envIds})`));
  }

  /** Null where nothing is active, or there is no such environment. */
  activeAt(appId: Id<'app'>, envName: string): Statement<ActiveVersion | null> {
    const name = toEnvironmentName(envName) ?? null;
    const named = sql`(select id from environment where app_id = ${appId} and name = ${name})`;
    return row(activeWhere(sql`a.environment_id = ${named}`));
  }

  /** The same with the environment, of which an app may have none of the name. */
  answering(appId: Id<'app'>, envName: string): Statement<Answering> {
    const name = toEnvironmentName(envName) ?? null;
    return row<AppWithEnvironment & (ActiveVersion | { versionId: null })>(planned`
      select app.project_id as "projectId", app.id as "appId", e.name as environment, e.id as "envId",
        ${activeColumns()}
      from app left join environment e on e.app_id = app.id and e.name = ${name}
      left join (agent_activation a join agent_version v on v.id = a.version_id)
        on a.environment_id = e.id and a.ended_at is null
      where app.id = ${appId}`).as((found) => ({ found, active: found?.versionId ? found : null }));
  }

  /** All that there is of an agent, also what has ended. */
  removeOf(agentId: Id<'agent'>): Statement<void> {
    return write(
      sql`delete from agent_activation
          where version_id in (select id from agent_version where agent_id = ${agentId})`,
    );
  }
}

/** A few columns: its instructions may be long, and every message asks this. */
function activeColumns(): Sql {
  return sql`
    ${someColumnsOf(Activation, ['environmentId', 'versionId'], 'a')},
    ${someColumnsOf(AgentVersion, ['agentId', 'welcomeMessage'], 'v')}`;
}

function activeWhere(where: Sql): Sql {
  return planned`
    select ${activeColumns()}
    from agent_activation a join agent_version v on v.id = a.version_id
    where ${where} and a.ended_at is null`;
}
