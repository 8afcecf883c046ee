import { z } from 'zod';
import { type Id, isId } from '../../kernel/ids.js';
import { defineJob } from '../../platform/queue/job-definition.js';

const sessionId = z.custom<Id<'session'>>((value) => typeof value === 'string' && isId('session', value));

/** Sees to it that what an ended session remembers goes, should whoever ended it not have come to it. */
export const closeSession = defineJob('sessions.close', { data: z.object({ sessionId }), attempts: 100 });

/** Ends sessions that nobody has spoken in for a while. */
export const expireSessions = defineJob('sessions.expire', { data: z.object({}), attempts: 3, every: 30 });

const userId = z.custom<Id<'user'>>((value) => typeof value === 'string' && isId('user', value));
const appId = z.custom<Id<'app'>>((value) => typeof value === 'string' && isId('app', value));
const projectId = z.custom<Id<'project'>>((value) => typeof value === 'string' && isId('project', value));

/** Takes away what is kept of a user. */
export const eraseUser = defineJob('sessions.erase-user', {
  data: z.object({ userId, appId, projectId }),
  attempts: 20,
});
