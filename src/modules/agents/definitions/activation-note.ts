import type { EnvironmentName } from '../../tenancy/app.entity.js';
import type { Activation } from './activation.entity.js';
import type { Agent, AgentVersion } from './agent.entity.js';

/** A version of the agent that answers in an environment. */
export interface ActiveVersionOfAgent {
  environment: EnvironmentName;
  versionId: string;
  version: number;
}

/** An agent after a change, and where it is active. */
export interface ChangedAgent {
  agent: Agent;
  version: AgentVersion;
  active: ActiveVersionOfAgent[];
}

export function toActive({ environment, version }: Activation): ActiveVersionOfAgent {
  return { environment: environment.name, versionId: version.id, version: version.number };
}

/**
 * Returns what a user has to do so that the latest version answers; undefined if it already answers wherever the agent
 * does. Without this note, people change an agent and wonder why it still answers as before.
 */
export function activationNote({ agent, version, active }: ChangedAgent): string | undefined {
  const behind = active.filter(({ versionId }) => versionId !== version.id);
  if (active.length > 0 && behind.length === 0) return undefined;
  const state =
    behind.length === 0
      ? 'The agent is not active in any environment'
      : `Not active yet: ${behind.map((each) => `${each.environment} still has version ${each.version}`).join(', ')}`;
  const environment = behind[0]?.environment ?? 'production';
  const body = JSON.stringify({ agentId: agent.id, versionId: version.id, active: true });
  return `${state}. To activate version ${version.number}, send PUT /api/admin/v1/apps/${agent.app.id}/environments/${environment} with ${body}.`;
}
