import { z } from 'zod';
import { ownId } from '../../kernel/schema.js';
import { defineJob } from '../../platform/queue/job-definition.js';

const turnData = z.object({
  runId: ownId('agentRun'),
  /** Whether the sink is notified when the turn begins. Jobs that an earlier release added do not have this member. */
  notifiesOfStart: z.boolean().default(true),
});
export type TurnData = z.output<typeof turnData>;

/**
 * Takes one turn of a session, in the session's lane. Further attempts are for faults of this service. A failure of a
 * provider ends the turn, and the job with it.
 */
export const takeTurn = defineJob('agents.turn', { queue: 'turns', data: turnData, attempts: 5, isKept: false });
