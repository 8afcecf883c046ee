import { Body, Controller, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import type { KeyActor } from '../../platform/auth/actor.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { CurrentActor } from '../../platform/auth/current-actor.js';
import { Route } from '../../platform/http/route.js';
import { accessErrors } from './access.errors.js';
import {
  CreateKeyBody,
  MeView,
  NewKeyView,
  OneScopeView,
  RevokedView,
  RotateKeyBody,
  toMeView,
  toNewKeyView,
  toScopeView,
  UpdateScopeBody,
} from './access.schema.js';
import { ApiKeysService } from './api-keys.service.js';
import { ScopesService } from './scopes.service.js';

@ApiTags('API keys and scopes')
@Controller()
export class AccessController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly scopes: ScopesService,
  ) {}

  @Route('POST /aaa/api/public/apps/{appId}/apikeys/create', {
    access: 'API_SCOPE_KEY_FULL',
    summary: 'Create an API key',
    description: 'The answer shows the key this once; only a digest of it is kept.',
    returns: NewKeyView,
    envelope: 'success',
    status: 201,
    errors: [
      accessErrors.scopeNotFound,
      accessErrors.permissionCeiling,
      accessErrors.duplicateKeyName,
      accessErrors.keyLimitReached,
    ],
  })
  async createKey(
    @CurrentActor() actor: KeyActor,
    @Param('appId') appId: string,
    @Body({ schema: CreateKeyBody }) body: z.infer<typeof CreateKeyBody>,
  ) {
    return toNewKeyView(
      await this.keys.create(actor, appId, {
        scopeName: body.scope_name,
        keyName: body.api_key_name,
        expiresAt: body.expires_at,
      }),
    );
  }

  @Route('POST /aaa/api/public/apps/{appId}/apikeys/{keyId}/rotate', {
    access: 'API_SCOPE_KEY_FULL',
    summary: 'Give an API key of your scope a new value',
    description: 'The key id stays. The value before goes on working for `grace_seconds`.',
    returns: NewKeyView,
    envelope: 'success',
    errors: [accessErrors.keyNotFound, accessErrors.scopeMismatch],
  })
  async rotateKey(
    @CurrentActor() actor: KeyActor,
    @Param('appId') appId: string,
    @Param('keyId') keyId: string,
    @Body({ schema: RotateKeyBody }) { grace_seconds }: z.infer<typeof RotateKeyBody>,
  ) {
    return toNewKeyView(await this.keys.rotate(actor, appId, keyId, grace_seconds));
  }

  @Route('DELETE /aaa/api/public/apps/{appId}/apikeys/{keyId}', {
    access: 'API_SCOPE_KEY_FULL',
    summary: 'Revoke an API key for good',
    description: 'When this answers, no request runs with the key any more, in any process, and its row is gone.',
    returns: RevokedView,
    envelope: 'success',
    errors: [accessErrors.keyNotFound, accessErrors.permissionCeiling, authErrors.revocationPending],
    survivesRevocation: true,
  })
  async revokeKey(@CurrentActor() actor: KeyActor, @Param('appId') appId: string, @Param('keyId') keyId: string) {
    await this.keys.revoke(actor, appId, keyId);
    return { revoked: { key_id: keyId, status: 'revoked' } };
  }

  @Route('GET /aaa/api/public/apps/{appId}/scopes/{scopeId}', {
    access: 'API_SCOPE_KEY_FULL',
    summary: 'Read a scope',
    returns: OneScopeView,
    envelope: 'success',
    errors: [accessErrors.scopeNotFound],
  })
  async readScope(@Param('appId') appId: string, @Param('scopeId') scopeId: string) {
    return { scope: toScopeView(await this.scopes.read(appId, scopeId)) };
  }

  @Route('PUT /aaa/api/public/apps/{appId}/scopes/{scopeId}', {
    access: 'API_SCOPE_KEY_FULL',
    summary: 'Set permissions of the scope the key belongs to',
    description: 'Names that are left out stay as they are.',
    returns: OneScopeView,
    envelope: 'success',
    errors: [accessErrors.scopeNotFound, accessErrors.scopeMismatch, accessErrors.permissionCeiling],
  })
  async updateScope(
    @CurrentActor() actor: KeyActor,
    @Param('scopeId') scopeId: string,
    @Body({ schema: UpdateScopeBody }) { permissions }: z.infer<typeof UpdateScopeBody>,
  ) {
    return { scope: toScopeView(await this.scopes.setPermissions(actor, scopeId, permissions)) };
  }

  @Route('GET /api/public/me', {
    access: 'anyKey',
    summary: 'What the key is and what it may do',
    returns: MeView,
    envelope: 'success',
  })
  me(@CurrentActor() actor: KeyActor) {
    return toMeView(actor);
  }
}
