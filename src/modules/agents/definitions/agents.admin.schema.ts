import { z } from 'zod';
import { definedMembers } from '../../../kernel/defined-members.js';
import { displayName, id, nameUpTo, timestamp } from '../../../kernel/schema.js';
import { ENVIRONMENT_NAMES } from '../../tenancy/app.entity.js';
import type { Activation } from './activation.entity.js';
import { activationNote, type ChangedAgent } from './activation-note.js';
import type { Deployment } from './activations.service.js';
import { type AgentVersion, MODEL_MEMBERS } from './agent.entity.js';
import type { FoundAgent } from './agents.service.js';

const MAX_TEXT = 100_000;
const messageText = (example: string) =>
  z
    .string()
    .min(1)
    .max(10_000)
    .meta({ examples: [example] });

const name = displayName.meta({ examples: ['Returns desk'] });
const instructions = z
  .string()
  .max(MAX_TEXT)
  .describe('The purpose of the agent, and how it is to answer.')
  .meta({ examples: ['You help customers with returns. Be brief.'] });
const model = nameUpTo(256)
  .describe(
    'The name of the model, as in calls of models. It is used if there is neither a connectionId nor a modelId.',
  )
  .meta({ examples: ['mock'] });
const integer = (min: number, max: number, description: string, example: number) =>
  z
    .int()
    .min(min)
    .max(max)
    .describe(description)
    .meta({ examples: [example] });
const historyTokens = integer(
  500,
  1_000_000,
  'The maximum number of tokens of the conversation in a call of the model.',
  8_000,
);
const maxSteps = integer(1, 100, 'The maximum number of calls of the model in one turn.', 10);
const timeoutSeconds = integer(1, 3_600, 'The maximum number of seconds that one turn may work.', 120);
const toolIds = z
  .array(id('tool'))
  .max(128)
  .refine((ids) => new Set(ids).size === ids.length, 'names a tool twice')
  .describe('The tools that the agent may call. Tools that are not deployed are ignored.')
  .meta({ examples: [[]] });
const mcpConnectionIds = z
  .array(id('mcpConnection'))
  .max(16)
  .refine((ids) => new Set(ids).size === ids.length, 'names a connection twice')
  .describe('The MCP connections whose tools the agent may call. Inactive and deleted ones are ignored.')
  .meta({ examples: [[]] });

const behaviour = {
  instructions,
  connectionId: id('connection').nullable(),
  modelId: id('model').nullable(),
  model: model.nullable(),
  toolIds,
  mcpConnectionIds,
  welcomeMessage: messageText('Hello! What would you like to return?').nullable(),
  fallbackMessage: messageText('I cannot answer that now. Ask again in a moment.').nullable(),
  historyTokens,
  maxSteps,
  timeoutSeconds,
};

const checkOneModel = (given: object, context: z.RefinementCtx): void => {
  const named = MODEL_MEMBERS.filter((member) => (given as Record<string, unknown>)[member] != null);
  if (named.length > 1)
    context.addIssue({
      code: 'custom',
      path: [named[1]!],
      message: `cannot be sent together with ${named[0]}; name one model`,
    });
};

const { instructions: _, ...optional } = behaviour;

export const CreateAgent = z
  .strictObject({ name, instructions, ...z.strictObject(optional).partial().shape })
  .superRefine(checkOneModel)
  .meta({
    id: 'CreateAgent',
    examples: [{ name: 'Returns desk', instructions: 'You help customers with returns. Be brief.' }],
  });
export type CreateAgent = z.output<typeof CreateAgent>;

export const ChangeAgent = z
  .strictObject({ name, ...behaviour })
  .partial()
  .superRefine(checkOneModel)
  .meta({ id: 'ChangeAgent', examples: [{ instructions: 'You help customers with returns. Be friendly.' }] });
export type ChangeAgent = z.output<typeof ChangeAgent>;

export const AgentView = z
  .object({
    agentId: id('agent'),
    appId: id('app'),
    name,
    versionId: id('agentVersion').describe('The id of the latest version.'),
    version: integer(1, 2_147_483_647, 'The number of the version, from 1.', 1),
    ...behaviour,
    createdAt: timestamp,
    modifiedAt: timestamp,
  })
  .meta({ id: 'Agent' });

/** An agent after a change. The note says what is missing until the change has an effect. */
export const ChangedAgentView = AgentView.extend({
  activeVersions: z
    .array(
      z.object({
        environment: z.enum(ENVIRONMENT_NAMES),
        versionId: id('agentVersion'),
        version: integer(1, 2_147_483_647, 'The number of the version, from 1.', 1),
      }),
    )
    .describe('The environments in which the agent is active, and the version of each.'),
  note: z
    .string()
    .optional()
    .describe(
      'Present if the latest version is not active wherever the agent is: what is active, and how to change it.',
    ),
}).meta({ id: 'ChangedAgent' });

export const AgentVersionView = z
  .object({
    versionId: id('agentVersion'),
    agentId: id('agent'),
    version: integer(1, 2_147_483_647, 'The number of the version, from 1.', 1),
    ...behaviour,
    createdAt: timestamp,
  })
  .meta({ id: 'AgentVersion' });

export const AgentGone = z.object({ agentId: id('agent') }).meta({ id: 'AgentGone' });

export const ActivateAgent = z
  .strictObject({
    agentId: id('agent'),
    versionId: id('agentVersion').optional().describe('The version to activate. The default is the latest one.'),
    active: z.boolean().meta({ examples: [true] }),
  })
  .meta({ id: 'ActivateAgent', examples: [{ agentId: 'ag-0VJ8kQ2xT4bN7mRw1ZcYp3', active: true }] });
export type ActivateAgent = z.output<typeof ActivateAgent>;

export const DeploymentView = z
  .object({
    envId: id('environment'),
    name: z.enum(ENVIRONMENT_NAMES),
    agentId: z
      .string()
      .nullable()
      .meta({ examples: ['ag-0VJ8kQ2xT4bN7mRw1ZcYp3'] }),
    appVersionId: z
      .string()
      .nullable()
      .describe('The version that is active, or null if none is.')
      .meta({ examples: ['av-0VJ8kQ2xT4bN7mRw1ZcYp3'] }),
  })
  .meta({ id: 'Deployment' });

export const ActivationView = z
  .object({
    number: z
      .int()
      .describe('A later activation has a larger number.')
      .meta({ examples: [17] }),
    agentId: id('agent'),
    appVersionId: id('agentVersion'),
    activatedAt: timestamp,
    endedAt: timestamp.nullable(),
  })
  .meta({ id: 'Activation' });

export function toAgentView({ agent, version }: FoundAgent): z.output<typeof AgentView> {
  return {
    agentId: agent.id,
    appId: agent.app.id,
    name: agent.name,
    versionId: version.id,
    version: version.number,
    ...version.behaviour,
    createdAt: agent.createdAt.toISOString(),
    modifiedAt: agent.modifiedAt.toISOString(),
  };
}

export function toChangedAgentView(changed: ChangedAgent): z.output<typeof ChangedAgentView> {
  const { active: activeVersions } = changed;
  return { ...toAgentView(changed), activeVersions, ...definedMembers({ note: activationNote(changed) }) };
}

export function toAgentVersionView(version: AgentVersion): z.output<typeof AgentVersionView> {
  return {
    versionId: version.id,
    agentId: version.agent.id,
    version: version.number,
    ...version.behaviour,
    createdAt: version.createdAt.toISOString(),
  };
}

export function toDeploymentView({ environment, version }: Deployment): z.output<typeof DeploymentView> {
  const { id: envId, name: envName } = environment;
  return { envId, name: envName, agentId: version?.agent.id ?? null, appVersionId: version?.id ?? null };
}

export function toActivationView({
  number,
  version,
  activatedAt,
  endedAt,
}: Activation): z.output<typeof ActivationView> {
  return {
    number,
    agentId: version.agent.id,
    appVersionId: version.id,
    activatedAt: activatedAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  };
}
