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
import { OneScopeView, toOneScopeView, UpdateScope } from './scopes.schema.js';
import { ScopesService } from './scopes.service.js';

@ApiTags('API keys and scopes')
@Controller()
export class ScopesController {
  constructor(private readonly scopes: ScopesService) {}

  @Route('GET /aaa/api/public/apps/{appId}/scopes/{scopeId}', {
    access: 'API_SCOPE_KEY_FULL',
    summary: 'Read a scope',
    returns: success(OneScopeView),
    errors: [accessErrors.scopeNotFound],
  })
  async read(@PathId('app') appId: Id<'app'>, @PathId('scope') scopeId: Id<'scope'>) {
    return toOneScopeView(await this.scopes.read(appId, scopeId));
  }

  @Route('PUT /aaa/api/public/apps/{appId}/scopes/{scopeId}', {
    access: 'API_SCOPE_KEY_FULL',
    summary: 'Set the permissions of the scope to which the key belongs',
    description: 'Permissions that are left out do not change.',
    returns: success(OneScopeView),
    errors: [
      accessErrors.scopeNotFound,
      accessErrors.scopeMismatch,
      accessErrors.permissionCeiling,
      authErrors.keyChangePending,
    ],
  })
  async update(
    @CallingKey() actor: KeyActor,
    @PathId('app') appId: Id<'app'>,
    @PathId('scope') scopeId: Id<'scope'>,
    @Body({ schema: UpdateScope }) { permissions }: UpdateScope,
  ) {
    return toOneScopeView(await this.scopes.setPermissions(actor, appId, scopeId, permissions));
  }
}
