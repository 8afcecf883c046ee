import { z } from 'zod';
import { type Id, isId } from '../../kernel/ids.js';
import { defineJob } from '../../platform/queue/job-definition.js';

const runId = z.custom<Id<'run'>>((value) => typeof value === 'string' && isId('run', value));

/** One turn of a session, in the session's lane. What failed at a provider fails the turn; this is for our own faults. */
export const takeTurn = defineJob('agents.turn', { data: z.object({ runId }), attempts: 5 });
