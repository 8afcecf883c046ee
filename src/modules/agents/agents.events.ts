import { z } from 'zod';
import { defineEvent, type PayloadOf } from '../../kernel/events.js';
import { ownId } from '../../kernel/schema.js';
import { ENVIRONMENT_NAMES } from '../tenancy/app.entity.js';

const inEnvironment = z.object({
  projectId: ownId('project'),
  appId: ownId('app'),
  environment: z.enum(ENVIRONMENT_NAMES),
});
const version = inEnvironment.extend({ agentId: ownId('agent'), versionId: ownId('agentVersion') });
const turn = inEnvironment.extend({ sessionId: ownId('session'), runId: ownId('agentRun') });

export const AgentActivated = defineEvent(
  'agent.activated',
  version.describe('A version of an agent was activated in an environment, in place of the one before.'),
);
export type AgentActivated = PayloadOf<typeof AgentActivated>;

export const AgentDeactivated = defineEvent(
  'agent.deactivated',
  version.describe('An agent was deactivated in an environment.'),
);
export type AgentDeactivated = PayloadOf<typeof AgentDeactivated>;

export const TurnCompleted = defineEvent('turn.completed', turn.describe('An agent answered a message of a session.'));
export type TurnCompleted = PayloadOf<typeof TurnCompleted>;

export const TurnFailed = defineEvent(
  'turn.failed',
  turn.extend({ code: z.string() }).describe('A turn failed, and the session got the fallback message.'),
);
export type TurnFailed = PayloadOf<typeof TurnFailed>;
