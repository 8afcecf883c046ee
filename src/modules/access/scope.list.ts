import { defineList, type RequestOf } from '../../platform/list/list.js';
import { Scope } from './scope.entity.js';

export const scopeList = defineList(Scope, {
  sorts: { createdAt: 'id', scopeName: 'name' },
});
export type ScopesRequest = RequestOf<typeof scopeList>;
