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
  AdminCreateKeyBody,
  AdminKeyRow,
  AdminNewKeyView,
  AdminRotateKeyBody,
  ChangeKeyBody,
  toAdminKeyRow,
  toAdminNewKeyView,
} from './access.admin.schema.js';
import { accessErrors } from './access.errors.js';
import { ApiKeysService } from './api-keys.service.js';

const access = 'administration';
const KeyGone = z.object({ keyId: z.string() }).meta({ id: 'KeyGone', examples: [{ keyId: exampleId('apiKey') }] });

@ApiTags('Administration: keys and scopes')
@Controller()
export class ApiKeysAdminController {
  constructor(private readonly keys: ApiKeysService) {}

  @Route('POST /api/admin/v1/apps/{appId}/apikeys', {
    access,
    summary: 'Create an API key: the first one has to come from somewhere',
    returns: AdminNewKeyView,
    envelope: 'data',
    status: 201,
    errors: [accessErrors.scopeNotFound, accessErrors.duplicateKeyName, accessErrors.keyLimitReached],
  })
  async createAnyKey(
    @CurrentActor() actor: AdminActor,
    @Param('appId') appId: string,
    @Body({ schema: AdminCreateKeyBody }) body: z.infer<typeof AdminCreateKeyBody>,
  ) {
    const { scopeName, apiKeyName: keyName, expiresAt } = body;
    return toAdminNewKeyView(await this.keys.create(actor, appId, { scopeName, keyName, expiresAt }));
  }

  @Route('GET /api/admin/v1/apps/{appId}/apikeys', {
    access,
    summary: 'List the API keys of an app, oldest first',
    returns: AdminKeyRow,
    envelope: 'page',
  })
  async listKeys(@Param('appId') appId: string, @Query({ schema: CursorQuery }) { cursor, limit }: CursorQuery) {
    return mapPage(await this.keys.list(appId, cursor, limit), toAdminKeyRow);
  }

  @Route('GET /api/admin/v1/apps/{appId}/apikeys/{keyId}', {
    access,
    summary: 'Read an API key',
    returns: AdminKeyRow,
    envelope: 'data',
    errors: [accessErrors.keyNotFound],
  })
  async readKey(@Param('appId') appId: string, @Param('keyId') keyId: string) {
    return toAdminKeyRow(await this.keys.read(appId, keyId));
  }

  @Route('PATCH /api/admin/v1/apps/{appId}/apikeys/{keyId}', {
    access,
    summary: 'Rename an API key or change when it expires',
    returns: AdminKeyRow,
    envelope: 'data',
    errors: [accessErrors.keyNotFound, accessErrors.duplicateKeyName],
  })
  async changeKey(
    @CurrentActor() actor: AdminActor,
    @Param('appId') appId: string,
    @Param('keyId') keyId: string,
    @Body({ schema: ChangeKeyBody }) { apiKeyName: name, expiresAt }: z.infer<typeof ChangeKeyBody>,
  ) {
    return toAdminKeyRow(await this.keys.change(actor, appId, keyId, { name, expiresAt }));
  }

  @Route('POST /api/admin/v1/apps/{appId}/apikeys/{keyId}/rotate', {
    access,
    summary: 'Give an API key a new value',
    description: 'The key id stays. The value before goes on working for `graceSeconds`.',
    returns: AdminNewKeyView,
    envelope: 'data',
    errors: [accessErrors.keyNotFound],
  })
  async rotateAnyKey(
    @CurrentActor() actor: AdminActor,
    @Param('appId') appId: string,
    @Param('keyId') keyId: string,
    @Body({ schema: AdminRotateKeyBody }) { graceSeconds }: z.infer<typeof AdminRotateKeyBody>,
  ) {
    return toAdminNewKeyView(await this.keys.rotate(actor, appId, keyId, graceSeconds));
  }

  @Route('DELETE /api/admin/v1/apps/{appId}/apikeys/{keyId}', {
    access,
    summary: 'Revoke an API key for good',
    description: 'When this answers, no request runs with the key any more, in any process, and its row is gone.',
    returns: KeyGone,
    envelope: 'data',
    errors: [accessErrors.keyNotFound, authErrors.revocationPending],
  })
  async revokeAnyKey(@CurrentActor() actor: AdminActor, @Param('appId') appId: string, @Param('keyId') keyId: string) {
    await this.keys.revoke(actor, appId, keyId);
    return { keyId };
  }
}
