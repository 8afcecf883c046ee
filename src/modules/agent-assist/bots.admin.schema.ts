import { z } from 'zod';
import { displayName, id, timestamp } from '../../kernel/schema.js';
import type { Bot } from './bot.entity.js';

const name = displayName.meta({ examples: ['Service desk'] });
const connectionId = id('connection')
  .nullable()
  .describe('The connection whose model writes the summaries. Without one, the transcript is the summary.');
const agentId = id('agent')
  .nullable()
  .describe(
    'The agent that proposes replies to messages of users. It also writes the summaries if there is no connection.',
  );
const subscriptionId = id('subscription')
  .nullable()
  .describe('The webhook subscription that receives the proposed replies, as `agent.response`.');
const strict = z.boolean().describe('Whether events that come out of order are refused, or only marked.');

export const CreateBot = z
  .strictObject({
    name,
    connectionId: connectionId.default(null),
    agentId: agentId.default(null),
    subscriptionId: subscriptionId.default(null),
    strict: strict.default(false),
  })
  .meta({ id: 'CreateBot', examples: [{ name: 'Service desk', strict: false }] });
export type CreateBot = z.output<typeof CreateBot>;

export const ChangeBot = z
  .strictObject({
    name: name.optional(),
    connectionId: connectionId.optional(),
    agentId: agentId.optional(),
    subscriptionId: subscriptionId.optional(),
    strict: strict.optional(),
  })
  .meta({ id: 'ChangeBot', examples: [{ strict: true }] });
export type ChangeBot = z.output<typeof ChangeBot>;

export const BotView = z
  .object({
    botId: id('bot'),
    projectId: id('project'),
    name,
    connectionId,
    agentId,
    subscriptionId,
    strict: strict.meta({ examples: [false] }),
    createdAt: timestamp,
  })
  .meta({ id: 'Bot' });

export const BotGone = z.object({ botId: id('bot') }).meta({ id: 'BotGone' });

export function toBotView(bot: Bot): z.infer<typeof BotView> {
  return {
    botId: bot.id,
    projectId: bot.project.id,
    name: bot.name,
    connectionId: bot.connectionId,
    agentId: bot.agentId,
    subscriptionId: bot.subscriptionId,
    strict: bot.strict,
    createdAt: bot.createdAt.toISOString(),
  };
}
