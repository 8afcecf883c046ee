import { z } from 'zod';
import { defineList, type RequestOf } from '../../platform/list/list.js';
import { Connection, STATUSES } from './connection.entity.js';

export const connectionList = defineList(Connection, {
  sorts: { createdOn: 'id', modifiedOn: 'modifiedAt', connectionName: 'name', provider: 'provider', model: 'model' },
  filters: { provider: z.string().min(1), status: z.enum(STATUSES) },
});
export type ConnectionsRequest = RequestOf<typeof connectionList>;
