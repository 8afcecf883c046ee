import { z } from 'zod';
import { ADMIN_ROLES } from '../../kernel/roles.js';
import { defineList, type RequestOf } from '../../platform/list/list.js';
import { AdminKey } from './admin-key.entity.js';

export const adminKeyList = defineList(AdminKey, {
  sorts: { createdAt: 'id', name: 'name', role: 'role' },
  filters: { role: z.enum(ADMIN_ROLES) },
});
export type AdminKeysRequest = RequestOf<typeof adminKeyList>;
