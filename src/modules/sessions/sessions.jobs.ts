import { z } from 'zod';
import { ownId } from '../../kernel/schema.js';
import { defineJob } from '../../platform/queue/job-definition.js';

/** Closes an ended session if the process that ended it has not done so. */
export const closeSession = defineJob('sessions.close', {
  data: z.object({ sessionId: ownId('session') }),
  attempts: 100,
});

/** Ends sessions that have been idle for too long. */
export const expireSessions = defineJob('sessions.expire', { data: z.object({}), attempts: 3, every: 30 });

/** Sums up how many sessions began in each ten minutes. */
export const countSessions = defineJob('sessions.count', { data: z.object({}), attempts: 3, every: 300 });

const userToErase = z.object({ userId: ownId('user'), appId: ownId('app'), projectId: ownId('project') });
export type UserToErase = z.output<typeof userToErase>;

/** Erases what is kept of a user. */
export const eraseUser = defineJob('sessions.erase-user', { data: userToErase, attempts: 20 });
