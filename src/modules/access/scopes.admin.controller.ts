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
  AdminScopeView,
  ChangeScopeBody,
  CreateScopeBody,
  toAdminScopeView,
  toCeiling,
} from './access.admin.schema.js';
import { accessErrors } from './access.errors.js';
import { ScopesService } from './scopes.service.js';

const access = 'administration';
const ScopeGone = z
  .object({ scopeId: z.string() })
  .meta({ id: 'ScopeGone', examples: [{ scopeId: exampleId('scope') }] });

@ApiTags('Administration: keys and scopes')
@Controller()
export class ScopesAdminController {
  constructor(private readonly scopes: ScopesService) {}

  @Route('POST /api/admin/v1/apps/{appId}/scopes', {
    access,
    summary: 'Create a scope',
    returns: AdminScopeView,
    envelope: 'data',
    status: 201,
    errors: [accessErrors.duplicateScopeName, accessErrors.permissionCeiling],
  })
  async createScope(
    @CurrentActor() actor: AdminActor,
    @Param('appId') appId: string,
    @Body({ schema: CreateScopeBody }) body: z.infer<typeof CreateScopeBody>,
  ) {
    const { scopeName: name, description, permissions, ceiling } = body;
    const wish = { name, description, permissions, ceiling: toCeiling(ceiling) };
    return toAdminScopeView(await this.scopes.create(actor, appId, wish));
  }

  @Route('GET /api/admin/v1/apps/{appId}/scopes', {
    access,
    summary: 'List the scopes of an app, oldest first',
    returns: AdminScopeView,
    envelope: 'page',
  })
  async listScopes(@Param('appId') appId: string, @Query({ schema: CursorQuery }) { cursor, limit }: CursorQuery) {
    return mapPage(await this.scopes.list(appId, cursor, limit), toAdminScopeView);
  }

  @Route('GET /api/admin/v1/apps/{appId}/scopes/{scopeId}', {
    access,
    summary: 'Read a scope with its ceiling',
    returns: AdminScopeView,
    envelope: 'data',
    errors: [accessErrors.scopeNotFound],
  })
  async readAnyScope(@Param('appId') appId: string, @Param('scopeId') scopeId: string) {
    return toAdminScopeView(await this.scopes.read(appId, scopeId));
  }

  @Route('PATCH /api/admin/v1/apps/{appId}/scopes/{scopeId}', {
    access,
    summary: 'Change a scope or its ceiling',
    description: 'Members and permissions that are left out stay as they are.',
    returns: AdminScopeView,
    envelope: 'data',
    errors: [accessErrors.scopeNotFound, accessErrors.duplicateScopeName, accessErrors.permissionCeiling],
  })
  async changeScope(
    @CurrentActor() actor: AdminActor,
    @Param('appId') appId: string,
    @Param('scopeId') scopeId: string,
    @Body({ schema: ChangeScopeBody }) body: z.infer<typeof ChangeScopeBody>,
  ) {
    const { scopeName: name, description, permissions, ceiling } = body;
    const change = { name, description, permissions, ceiling: ceiling === undefined ? undefined : toCeiling(ceiling) };
    return toAdminScopeView(await this.scopes.change(actor, appId, scopeId, change));
  }

  @Route('DELETE /api/admin/v1/apps/{appId}/scopes/{scopeId}', {
    access,
    summary: 'Delete a scope and revoke its keys',
    returns: ScopeGone,
    envelope: 'data',
    errors: [accessErrors.scopeNotFound, authErrors.revocationPending],
  })
  async deleteScope(
    @CurrentActor() actor: AdminActor,
    @Param('appId') appId: string,
    @Param('scopeId') scopeId: string,
  ) {
    await this.scopes.delete(actor, appId, scopeId);
    return { scopeId };
  }
}
