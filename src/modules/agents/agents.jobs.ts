import { z } from 'zod';
import { ownId } from '../../kernel/schema.js';
import { defineJob } from '../../platform/queue/job-definition.js';

/** One turn of a session, in the session's lane. What failed at a provider fails the turn; this is for our own faults. */
export const takeTurn = defineJob('agents.turn', { data: z.object({ runId: ownId('run') }), attempts: 5 });
