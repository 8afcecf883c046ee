import { z } from 'zod';
import { ADMIN_ROLES } from '../../kernel/roles.js';
import { displayName, id, timestamp } from '../../kernel/schema.js';
import type { AdminKey } from './admin-key.entity.js';
import { shownOnce } from '../../platform/route/shown-once.js';
import type { NewAdminKey } from './admin-keys.service.js';

const name = displayName
  .describe('The name of the person or program that uses the key. It is unique; case is ignored.')
  .meta({ examples: ['ada'] });

export const adminRole = z
  .enum(ADMIN_ROLES)
  .describe('`viewer` reads. `auditor` also reads the audit. `operator` reads and changes. `owner` does everything.')
  .meta({ id: 'AdminRole', examples: ['operator'] });

export const CreateAdminKey = z
  .strictObject({
    name,
    role: adminRole.default('owner'),
    projectId: id('project')
      .optional()
      .describe('The project in which the key has its role. Without it, the role is for the whole installation.'),
  })
  .meta({ id: 'CreateAdminKey', examples: [{ name: 'ada', role: 'operator' }] });
export type CreateAdminKey = z.infer<typeof CreateAdminKey>;

export const NameAdminKey = z.strictObject({ name }).meta({ id: 'NameAdminKey', examples: [{ name: 'ada' }] });
export type NameAdminKey = z.infer<typeof NameAdminKey>;

export const AdminKeyView = z
  .object({
    adminKeyId: id('adminKey'),
    name,
    role: adminRole,
    projectId: id('project')
      .nullable()
      .describe('The project in which the key has its role. Null for the whole installation.'),
    createdAt: timestamp,
  })
  .meta({ id: 'AdminKey' });

export const NewAdminKeyView = AdminKeyView.extend({
  adminKey: shownOnce(
    z
      .string()
      .describe('The key itself, which is shown only once.')
      .meta({ examples: ['swa_0VJ8kQ2xT4bN7mRw1ZcYp30VJ8kQ2xT4bN7mRw1ZcYp3aB3fPq'] }),
  ),
}).meta({ id: 'NewAdminKey' });

export const AdminKeyGone = z.object({ adminKeyId: id('adminKey') }).meta({ id: 'AdminKeyGone' });

export function toAdminKeyView(key: AdminKey): z.infer<typeof AdminKeyView> {
  const { id: adminKeyId, role, project, createdAt } = key;
  return { adminKeyId, name: key.name, role, projectId: project?.id ?? null, createdAt: createdAt.toISOString() };
}

export function toNewAdminKeyView({ key, value }: NewAdminKey): z.infer<typeof NewAdminKeyView> {
  return { ...toAdminKeyView(key), adminKey: value };
}
