import { z } from 'zod';
import { ownId } from '../../kernel/schema.js';
import { defineEvent, type PayloadOf } from '../../kernel/events.js';
import { ENVIRONMENT_NAMES } from '../tenancy/app.entity.js';
import { END_REASONS } from './session.entity.js';

const session = z.object({
  sessionId: ownId('session'),
  projectId: ownId('project'),
  appId: ownId('app'),
  environment: z.enum(ENVIRONMENT_NAMES),
});

export const SessionCreated = defineEvent('session.created', session.describe('A session was created.'));
export type SessionCreated = PayloadOf<typeof SessionCreated>;

export const SessionEnded = defineEvent(
  'session.ended',
  session.extend({ reason: z.enum(END_REASONS) }).describe('A session ended. Its summary is written afterwards.'),
);
export type SessionEnded = PayloadOf<typeof SessionEnded>;
