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
import { apiKeyList, type ApiKeysRequest } from './api-key.list.js';
import { accessErrors } from './access.errors.js';
import {
  AdminApiKeyGone,
  AdminApiKeyView,
  AdminChangeApiKey,
  AdminCreateApiKey,
  AdminNewApiKeyView,
  AdminRotateApiKey,
  toAdminApiKeyView,
  toAdminNewApiKeyView,
} from './api-keys.admin.schema.js';
import { ApiKeysService } from './api-keys.service.js';

@ApiTags('Administration: keys and scopes')
@Controller()
export class ApiKeysAdminController {
  constructor(private readonly keys: ApiKeysService) {}

  @AdminRoute('POST /apps/{appId}/apikeys', {
    summary: 'Create an API key, such as the first one of an app',
    returns: data(AdminNewApiKeyView),
    status: 201,
    errors: [accessErrors.scopeNotFound, accessErrors.duplicateKeyName, accessErrors.keyLimitReached],
  })
  async create(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @Body({ schema: AdminCreateApiKey }) { scopeName, apiKeyName: keyName, expiresAt }: AdminCreateApiKey,
  ) {
    return toAdminNewApiKeyView(await this.keys.create(actor, appId, { scopeName, keyName, expiresAt }));
  }

  @AdminRoute('GET /apps/{appId}/apikeys', {
    summary: 'List the API keys of an app, by default oldest first',
    returns: page(AdminApiKeyView),
  })
  async list(@PathId('app') appId: Id<'app'>, @Query({ schema: apiKeyList.query }) query: ApiKeysRequest) {
    return mapPage(await this.keys.list(appId, query), toAdminApiKeyView);
  }

  @AdminRoute('GET /apps/{appId}/apikeys/{keyId}', {
    summary: 'Read an API key',
    returns: data(AdminApiKeyView),
    errors: [accessErrors.keyNotFound],
  })
  async read(@PathId('app') appId: Id<'app'>, @PathId('apiKey', 'keyId') keyId: Id<'apiKey'>) {
    return toAdminApiKeyView(await this.keys.read(appId, keyId));
  }

  @AdminRoute('PATCH /apps/{appId}/apikeys/{keyId}', {
    summary: 'Rename an API key or change when it expires',
    returns: data(AdminApiKeyView),
    errors: [accessErrors.keyNotFound, accessErrors.duplicateKeyName, authErrors.keyChangePending],
  })
  async change(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @PathId('apiKey', 'keyId') keyId: Id<'apiKey'>,
    @Body({ schema: AdminChangeApiKey }) { apiKeyName: name, expiresAt }: AdminChangeApiKey,
  ) {
    return toAdminApiKeyView(await this.keys.change(actor, appId, keyId, { name, expiresAt }));
  }

  @AdminRoute('POST /apps/{appId}/apikeys/{keyId}/rotate', {
    summary: 'Give an API key a new value',
    description: 'The id of the key does not change. The previous value remains valid for `graceSeconds`.',
    returns: data(AdminNewApiKeyView),
    errors: [accessErrors.keyNotFound, authErrors.keyChangePending],
  })
  async rotate(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @PathId('apiKey', 'keyId') keyId: Id<'apiKey'>,
    @Body({ schema: AdminRotateApiKey }) { graceSeconds }: AdminRotateApiKey,
  ) {
    return toAdminNewApiKeyView(await this.keys.rotate(actor, appId, keyId, graceSeconds));
  }

  @AdminRoute('DELETE /apps/{appId}/apikeys/{keyId}', {
    summary: 'Revoke an API key permanently',
    description:
      'After this request has answered, no process runs a request with the key any more, and the row of the key is deleted.',
    returns: data(AdminApiKeyGone),
    errors: [accessErrors.keyNotFound, authErrors.revocationPending],
  })
  async revoke(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @PathId('apiKey', 'keyId') keyId: Id<'apiKey'>,
  ) {
    return this.keys.revoke(actor, appId, keyId).then(() => ({ keyId }));
  }
}
