import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { CallingKey } from '../../platform/auth/callers.js';
import { success } from '../../platform/route/answer.js';
import { PathId } from '../../platform/route/path-id.js';
import { Route } from '../../platform/route/route.js';
import { accessErrors } from './access.errors.js';
import { CreateKey, NewKeyView, RevokedView, RotateKey, toNewKeyView, toRevokedView } from './api-keys.schema.js';
import { ApiKeysService } from './api-keys.service.js';

@ApiTags('API keys and scopes')
@Controller()
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Route('POST /aaa/api/public/apps/{appId}/apikeys/create', {
    access: 'API_SCOPE_KEY_FULL',
    summary: 'Create an API key',
    description: 'The answer shows the key only once. The service stores only a digest of it.',
    returns: success(NewKeyView),
    status: 201,
    errors: [
      accessErrors.scopeNotFound,
      accessErrors.permissionCeiling,
      accessErrors.duplicateKeyName,
      accessErrors.keyLimitReached,
    ],
  })
  async create(
    @CallingKey() actor: KeyActor,
    @PathId('app') appId: Id<'app'>,
    @Body({ schema: CreateKey }) { scope_name: scopeName, api_key_name: keyName, expires_at: expiresAt }: CreateKey,
  ) {
    return toNewKeyView(await this.keys.create(actor, appId, { scopeName, keyName, expiresAt }));
  }

  @Route('POST /aaa/api/public/apps/{appId}/apikeys/{keyId}/rotate', {
    access: 'API_SCOPE_KEY_FULL',
    summary: 'Give an API key of your scope a new value',
    description: 'The id of the key does not change. The previous value remains valid for `grace_seconds`.',
    returns: success(NewKeyView),
    errors: [accessErrors.keyNotFound, accessErrors.scopeMismatch, authErrors.keyChangePending],
  })
  async rotate(
    @CallingKey() actor: KeyActor,
    @PathId('app') appId: Id<'app'>,
    @PathId('apiKey', 'keyId') keyId: Id<'apiKey'>,
    @Body({ schema: RotateKey }) { grace_seconds: graceSeconds }: RotateKey,
  ) {
    return toNewKeyView(await this.keys.rotate(actor, appId, keyId, graceSeconds));
  }

  @Route('DELETE /aaa/api/public/apps/{appId}/apikeys/{keyId}', {
    access: 'API_SCOPE_KEY_FULL',
    summary: 'Revoke an API key permanently',
    description:
      'After this request has answered, no process runs a request with the key any more, and the row of the key is deleted.',
    returns: success(RevokedView),
    errors: [accessErrors.keyNotFound, accessErrors.permissionCeiling, authErrors.revocationPending],
    survivesRevocation: true,
  })
  async revoke(
    @CallingKey() actor: KeyActor,
    @PathId('app') appId: Id<'app'>,
    @PathId('apiKey', 'keyId') keyId: Id<'apiKey'>,
  ) {
    return this.keys.revoke(actor, appId, keyId).then(() => toRevokedView(keyId));
  }
}
