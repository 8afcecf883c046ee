import { defineList, type RequestOf } from '../../platform/list/list.js';
import { Bot } from './bot.entity.js';

export const botList = defineList(Bot, {
  sorts: { createdAt: 'id', name: 'name' },
});
export type BotsRequest = RequestOf<typeof botList>;
