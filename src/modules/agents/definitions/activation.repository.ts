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

const DEFAULT_WELCOME = 'Hello! How can I help you?';

/** Those columns of the version active in an environment that are needed to accept a message. */
export type ActiveVersion = Pick<ActivationRow, 'environmentId' | 'versionId'> &
  Pick<AgentVersionRow, 'agentId' | 'welcomeMessage'>;

/** Returns the welcome of the active version. The default text is used if it has none, or no version is active. */
export function welcomeOf(active: Pick<ActiveVersion, 'versionId' | 'welcomeMessage'> | null): Welcome {
  return { message: active?.welcomeMessage ?? DEFAULT_WELCOME, versionId: active?.versionId ?? null };
}

/** The environment to which a message is sent, and the version that is active there. Either may be missing. */
export interface MessageTarget {
  found: AppWithEnvironment | null;
  active: ActiveVersion | null;
}

export class ActivationRepository extends EntityRepository<Activation> {
  current(envId: Id<'environment'>): Promise<Activation | null> {
    return this.findOne({ environment: envId, endedAt: null }, { populate: ['version.agent'] });
  }

  /** Finds the newest activation, or the newest of another version than the given one. */
  latest(envId: Id<'environment'>, other?: AgentVersion): Promise<Activation | null> {
    return this.findOne(
      { environment: envId, ...(other && { version: { $ne: other } }) },
      { orderBy: { number: 'desc' }, populate: ['version.agent'] },
    );
  }

  /** Finds the current activations of an agent's versions. */
  ofAgent(agent: Agent): Promise<Activation[]> {
    return this.find({ version: { agent }, endedAt: null }, { populate: ['environment', 'version'] });
  }

  activeIn(envIds: readonly Id<'environment'>[]): Statement<ActiveVersion[]> {
    return rows(activeWhere(sql`a.environment_id = any(${envIds})`));
  }

  /** Answers null if no version is active, or there is no such environment. */
  activeAt(appId: Id<'app'>, envName: string): Statement<ActiveVersion | null> {
    const name = toEnvironmentName(envName) ?? null;
    const named = sql`(select id from environment where app_id = ${appId} and name = ${name})`;
    return row(activeWhere(sql`a.environment_id = ${named}`));
  }

  /** Reads the environment and its active version together, so that the caller can tell which of them is missing. */
  messageTarget(appId: Id<'app'>, envName: string): Statement<MessageTarget> {
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

/** Selects a few columns only, because every message asks this and the instructions of a version may be long. */
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
