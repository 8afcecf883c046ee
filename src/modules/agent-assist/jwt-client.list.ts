import { defineList, type RequestOf } from '../../platform/list/list.js';
import { JwtClient } from './jwt-client.entity.js';

export const jwtClientList = defineList(JwtClient, {
  sorts: { createdAt: 'id', name: 'name' },
});
export type JwtClientsRequest = RequestOf<typeof jwtClientList>;
