import { z } from 'zod';
import { ownId } from '../../kernel/schema.js';
import { defineJob } from '../../platform/queue/job-definition.js';

/** Closes an ended session if the process that ended it has not done so. */
export const closeSession = defineJob('sessions.close', {
  queue: 'turns',
  data: z.object({ sessionId: ownId('session') }),
  attempts: 100,
});

/** Ends sessions that have been idle for too long. */
export const expireSessions = defineJob('sessions.expire', {
  queue: 'upkeep',
  data: z.object({}),
  attempts: 3,
  every: 30,
});

/** Sums up how many sessions began in each ten minutes. */
export const countSessions = defineJob('sessions.count', {
  queue: 'upkeep',
  data: z.object({}),
  attempts: 3,
  every: 300,
});

const userToErase = z.object({ userId: ownId('user'), appId: ownId('app'), projectId: ownId('project') });
export type UserToErase = z.output<typeof userToErase>;

/** Erases what is kept of a user. */
export const eraseUser = defineJob('sessions.erase-user', { queue: 'upkeep', data: userToErase, attempts: 20 });
