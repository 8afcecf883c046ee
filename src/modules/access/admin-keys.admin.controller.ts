import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { mapPage } from '../../kernel/page.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { Administrator } from '../../platform/auth/callers.js';
import { data, page } from '../../platform/route/answer.js';
import { PathId } from '../../platform/route/path-id.js';
import { AdminRoute } from '../../platform/route/route.js';
import { adminKeyList, type AdminKeysRequest } from './admin-key.list.js';
import { accessErrors } from './access.errors.js';
import {
  AdminKeyGone,
  AdminKeyView,
  CreateAdminKey,
  NameAdminKey,
  NewAdminKeyView,
  toAdminKeyView,
  toNewAdminKeyView,
} from './admin-keys.admin.schema.js';
import { AdminKeysService } from './admin-keys.service.js';

@ApiTags('Administration: administration keys')
@Controller()
export class AdminKeysAdminController {
  constructor(private readonly keys: AdminKeysService) {}

  @AdminRoute('POST /admin-keys', {
    summary: 'Create a named administration key',
    right: 'administer',
    rightIn: 'installation',
    returns: data(NewAdminKeyView),
    status: 201,
    description:
      'With a `projectId`, the role of the key is for that project alone. The project cannot be deleted while it has the key.',
    errors: [accessErrors.duplicateAdminKeyName, authErrors.projectNotFound],
  })
  async create(@Administrator() actor: AdminActor, @Body({ schema: CreateAdminKey }) wanted: CreateAdminKey) {
    return toNewAdminKeyView(await this.keys.create(actor, wanted));
  }

  @AdminRoute('GET /admin-keys', {
    summary: 'List the named administration keys, by default oldest first',
    rightIn: 'installation',
    returns: page(AdminKeyView),
  })
  async list(@Query({ schema: adminKeyList.query }) query: AdminKeysRequest) {
    return mapPage(await this.keys.list(query), toAdminKeyView);
  }

  @AdminRoute('GET /admin-keys/{adminKeyId}', {
    summary: 'Read a named administration key',
    rightIn: 'installation',
    returns: data(AdminKeyView),
    errors: [accessErrors.adminKeyNotFound],
  })
  async read(@PathId('adminKey') adminKeyId: Id<'adminKey'>) {
    return toAdminKeyView(await this.keys.read(adminKeyId));
  }

  @AdminRoute('PATCH /admin-keys/{adminKeyId}', {
    summary: 'Rename an administration key',
    right: 'administer',
    rightIn: 'installation',
    returns: data(AdminKeyView),
    errors: [accessErrors.adminKeyNotFound, accessErrors.duplicateAdminKeyName],
  })
  async rename(
    @Administrator() actor: AdminActor,
    @PathId('adminKey') adminKeyId: Id<'adminKey'>,
    @Body({ schema: NameAdminKey }) { name }: NameAdminKey,
  ) {
    return toAdminKeyView(await this.keys.rename(actor, adminKeyId, name));
  }

  @AdminRoute('DELETE /admin-keys/{adminKeyId}', {
    summary: 'Revoke a named administration key permanently',
    right: 'administer',
    rightIn: 'installation',
    returns: data(AdminKeyGone),
    errors: [accessErrors.adminKeyNotFound, authErrors.revocationPending],
    survivesRevocation: true,
  })
  async revoke(@Administrator() actor: AdminActor, @PathId('adminKey') adminKeyId: Id<'adminKey'>) {
    return this.keys.revoke(actor, adminKeyId).then(() => ({ adminKeyId }));
  }
}
