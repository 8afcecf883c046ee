import { defineList, type RequestOf } from '../../../platform/list/list.js';
import { ConsoleSession } from './console-session.entity.js';

export const consoleSessionList = defineList(ConsoleSession, {
  sorts: { createdAt: 'id', expiresAt: 'expiresAt' },
  populate: ['adminKey'],
});
export type ConsoleSessionsRequest = RequestOf<typeof consoleSessionList>;
