import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import type { AdminActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { mapPage } from '../../kernel/page.js';
import { PERMISSION_NAMES } from '../../kernel/permissions.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { Administrator } from '../../platform/auth/callers.js';
import { data, page } from '../../platform/route/answer.js';
import { PathId } from '../../platform/route/path-id.js';
import { AdminRoute } from '../../platform/route/route.js';
import { scopeList, type ScopesRequest } from './scope.list.js';
import { accessErrors } from './access.errors.js';
import {
  AdminScopeView,
  ChangeScope,
  CreateScope,
  PermissionView,
  ScopeGone,
  toAdminScopeView,
  toPermissionView,
} from './scopes.admin.schema.js';
import { ScopesService } from './scopes.service.js';

@ApiTags('Administration: keys and scopes')
@Controller()
export class ScopesAdminController {
  constructor(private readonly scopes: ScopesService) {}

  @AdminRoute('GET /permissions', {
    summary: 'List the permissions that a scope can grant',
    description: 'The permissions of plugins are last.',
    rightIn: 'anyProject',
    returns: data(z.array(PermissionView)),
  })
  async permissions() {
    return PERMISSION_NAMES.map(toPermissionView);
  }

  @AdminRoute('POST /apps/{appId}/scopes', {
    summary: 'Create a scope',
    returns: data(AdminScopeView),
    status: 201,
    errors: [accessErrors.duplicateScopeName, accessErrors.permissionCeiling],
  })
  async create(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @Body({ schema: CreateScope }) { scopeName: name, ...rest }: CreateScope,
  ) {
    return toAdminScopeView(await this.scopes.create(actor, appId, { name, ...rest }));
  }

  @AdminRoute('GET /apps/{appId}/scopes', {
    summary: 'List the scopes of an app, by default oldest first',
    returns: page(AdminScopeView),
  })
  async list(@PathId('app') appId: Id<'app'>, @Query({ schema: scopeList.query }) query: ScopesRequest) {
    return mapPage(await this.scopes.list(appId, query), toAdminScopeView);
  }

  @AdminRoute('GET /apps/{appId}/scopes/{scopeId}', {
    summary: 'Read a scope with its ceiling',
    returns: data(AdminScopeView),
    errors: [accessErrors.scopeNotFound],
  })
  async read(@PathId('app') appId: Id<'app'>, @PathId('scope') scopeId: Id<'scope'>) {
    return toAdminScopeView(await this.scopes.read(appId, scopeId));
  }

  @AdminRoute('PATCH /apps/{appId}/scopes/{scopeId}', {
    summary: 'Change a scope or its ceiling',
    description: 'Members and permissions that are left out do not change.',
    returns: data(AdminScopeView),
    errors: [
      accessErrors.scopeNotFound,
      accessErrors.duplicateScopeName,
      accessErrors.permissionCeiling,
      authErrors.keyChangePending,
    ],
  })
  async change(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @PathId('scope') scopeId: Id<'scope'>,
    @Body({ schema: ChangeScope }) { scopeName: name, ...rest }: ChangeScope,
  ) {
    return toAdminScopeView(await this.scopes.change(actor, appId, scopeId, { name, ...rest }));
  }

  @AdminRoute('DELETE /apps/{appId}/scopes/{scopeId}', {
    summary: 'Delete a scope and revoke its keys',
    returns: data(ScopeGone),
    errors: [accessErrors.scopeNotFound, authErrors.revocationPending],
  })
  async delete(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @PathId('scope') scopeId: Id<'scope'>,
  ) {
    return this.scopes.delete(actor, appId, scopeId).then(() => ({ scopeId }));
  }
}
