import { Body, Controller, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { exampleId } from '../../kernel/ids.js';
import { mapPage } from '../../kernel/page.js';
import type { AdminActor } from '../../platform/auth/actor.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { CurrentActor } from '../../platform/auth/current-actor.js';
import { CursorQuery } from '../../platform/http/cursor-query.js';
import { Route } from '../../platform/http/route.js';
import {
  AdministrationKeyBody,
  AdministrationKeyView,
  NewAdministrationKeyView,
  toAdministrationKeyView,
} from './access.admin.schema.js';
import { accessErrors } from './access.errors.js';
import { AdminKeysService } from './admin-keys.service.js';

const access = 'administration';
const AdministrationKeyGone = z
  .object({ adminKeyId: z.string() })
  .meta({ id: 'AdministrationKeyGone', examples: [{ adminKeyId: exampleId('adminKey') }] });

@ApiTags('Administration: administration keys')
@Controller()
export class AdminKeysAdminController {
  constructor(private readonly keys: AdminKeysService) {}

  @Route('POST /api/admin/v1/admin-keys', {
    access,
    summary: 'Create a named administration key',
    returns: NewAdministrationKeyView,
    envelope: 'data',
    status: 201,
    errors: [accessErrors.duplicateAdminKeyName],
  })
  async createAdministrationKey(
    @CurrentActor() actor: AdminActor,
    @Body({ schema: AdministrationKeyBody }) { name }: z.infer<typeof AdministrationKeyBody>,
  ) {
    const { key, value } = await this.keys.create(actor, name);
    return { ...toAdministrationKeyView(key), adminKey: value };
  }

  @Route('GET /api/admin/v1/admin-keys', {
    access,
    summary: 'List the named administration keys, oldest first',
    returns: AdministrationKeyView,
    envelope: 'page',
  })
  async listAdministrationKeys(@Query({ schema: CursorQuery }) { cursor, limit }: CursorQuery) {
    return mapPage(await this.keys.list(cursor, limit), toAdministrationKeyView);
  }

  @Route('DELETE /api/admin/v1/admin-keys/{adminKeyId}', {
    access,
    summary: 'Revoke a named administration key for good',
    returns: AdministrationKeyGone,
    envelope: 'data',
    errors: [accessErrors.adminKeyNotFound, authErrors.revocationPending],
    survivesRevocation: true,
  })
  async revokeAdministrationKey(@CurrentActor() actor: AdminActor, @Param('adminKeyId') adminKeyId: string) {
    await this.keys.revoke(actor, adminKeyId);
    return { adminKeyId };
  }
}
