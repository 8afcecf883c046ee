import { z } from 'zod';
import { ownId } from '../../kernel/schema.js';
import { defineJob } from '../../platform/queue/job-definition.js';

const turnData = z.object({
  runId: ownId('agentRun'),
  /** Whether a sink is told when the turn begins. Jobs of releases before this one do not say so. */
  isTold: z.boolean().default(true),
});
export type TurnData = z.output<typeof turnData>;

/** One turn of a session, in the session's lane. What failed at a provider fails the turn; this is for our own faults. */
export const takeTurn = defineJob('agents.turn', { data: turnData, attempts: 5, isKept: false });
