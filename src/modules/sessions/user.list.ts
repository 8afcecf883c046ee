import { defineList, type RequestOf } from '../../platform/list/list.js';
import { ownReference } from './session-views.schema.js';
import { User } from './user.entity.js';

export const userList = defineList(User, {
  sorts: { createdAt: 'id' },
  filters: { reference: ownReference.describe('The exact reference of the user.') },
});
export type UsersRequest = RequestOf<typeof userList>;
