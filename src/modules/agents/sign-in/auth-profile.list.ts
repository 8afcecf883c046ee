import { defineList, type RequestOf } from '../../../platform/list/list.js';
import { AuthProfile } from './auth-profile.entity.js';

export const authProfileList = defineList(AuthProfile, {
  sorts: { createdAt: 'id', idpName: 'idpName' },
});
export type AuthProfilesRequest = RequestOf<typeof authProfileList>;
