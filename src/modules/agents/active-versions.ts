import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { planned, type Sql, sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import type { Welcome } from '../sessions/sessions.port.js';
import { toEnvironmentName } from '../tenancy/app.entity.js';
import { type Live, LiveVersions } from '../tenancy/tenancy.port.js';

interface ActiveVersion extends Live {
  envId: Id<'environment'>;
  welcomeMessage: string | null;
}

const WELCOME = 'Hello! How can I help you?';

/** What is said first where this one is active, or none. */
export function welcomeOf(active: ActiveVersion | null): Welcome {
  return { message: active?.welcomeMessage ?? WELCOME, versionId: active?.versionId ?? null };
}

/** What is live in an environment is the version that is active there. */
@Injectable()
export class ActiveVersions extends LiveVersions {
  constructor(private readonly statements: Statements) {
    super();
  }

  async liveIn(envIds: readonly Id<'environment'>[]): Promise<ReadonlyMap<Id<'environment'>, Live>> {
    const active = await this.find(sql`a.environment_id = any(${envIds})`);
    return new Map(active.map(({ envId, agentId, versionId }) => [envId, { agentId, versionId }]));
  }

  async findAt(appId: Id<'app'>, envName: string): Promise<ActiveVersion | null> {
    const name = toEnvironmentName(envName) ?? null;
    const [active] = await this.find(
      sql`a.environment_id = (select id from environment where app_id = ${appId} and name = ${name})`,
    );
    return active ?? null;
  }

  private find(where: Sql): Promise<ActiveVersion[]> {
    return this.statements.run<ActiveVersion>(
      planned`select a.environment_id as "envId", v.id as "versionId", v.agent_id as "agentId",
                v.welcome_message as "welcomeMessage"
              from agent_activation a join agent_version v on v.id = a.version_id
              where ${where} and a.ended_at is null`,
    );
  }
}
