import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../../kernel/actor.js';
import { definedMembers } from '../../../kernel/defined-members.js';
import type { Id } from '../../../kernel/ids.js';
import { mapPage } from '../../../kernel/page.js';
import { Administrator } from '../../../platform/auth/callers.js';
import { outboundErrors } from '../../../platform/outbound/outbound.errors.js';
import { data, page } from '../../../platform/route/answer.js';
import { PathId } from '../../../platform/route/path-id.js';
import { AdminRoute } from '../../../platform/route/route.js';
import { authProfileList, type AuthProfilesRequest } from './auth-profile.list.js';
import { agentsErrors } from '../agents.errors.js';
import {
  AuthProfileGone,
  AuthProfileView,
  ChangeAuthProfile,
  CreateAuthProfile,
  toAuthProfileView,
} from './auth-profiles.admin.schema.js';
import { AuthProfilesService } from './auth-profiles.service.js';

const { authProfileNotFound, duplicateAuthProfileName } = agentsErrors;

@ApiTags('Administration: sign-in of users')
@Controller()
export class AuthProfilesAdminController {
  constructor(private readonly profiles: AuthProfilesService) {}

  @AdminRoute('POST /apps/{appId}/auth-profiles', {
    summary: 'Create an authorization profile: an identity provider at which users of an app sign in',
    description: 'Register {PUBLIC_URL}/auth/idp/callback as the redirect address at the provider.',
    returns: data(AuthProfileView),
    status: 201,
    errors: [outboundErrors.addressNotAllowed, duplicateAuthProfileName],
  })
  async create(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @Body({ schema: CreateAuthProfile }) { sso_type: ssoType, ...rest }: CreateAuthProfile,
  ) {
    return toAuthProfileView(await this.profiles.create(actor, appId, { ...rest, ssoType }));
  }

  @AdminRoute('GET /apps/{appId}/auth-profiles', {
    summary: 'List the authorization profiles of an app, by default oldest first',
    returns: page(AuthProfileView),
  })
  async list(@PathId('app') appId: Id<'app'>, @Query({ schema: authProfileList.query }) query: AuthProfilesRequest) {
    return mapPage(await this.profiles.list(appId, query), toAuthProfileView);
  }

  @AdminRoute('GET /apps/{appId}/auth-profiles/{profileId}', {
    summary: 'Read an authorization profile',
    returns: data(AuthProfileView),
    errors: [authProfileNotFound],
  })
  async read(@PathId('app') appId: Id<'app'>, @PathId('authProfile', 'profileId') profileId: Id<'authProfile'>) {
    return toAuthProfileView(await this.profiles.read(appId, profileId));
  }

  @AdminRoute('PATCH /apps/{appId}/auth-profiles/{profileId}', {
    summary: 'Change an authorization profile',
    returns: data(AuthProfileView),
    errors: [authProfileNotFound, outboundErrors.addressNotAllowed, duplicateAuthProfileName],
  })
  async change(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @PathId('authProfile', 'profileId') profileId: Id<'authProfile'>,
    @Body({ schema: ChangeAuthProfile }) { sso_type: ssoType, ...changes }: ChangeAuthProfile,
  ) {
    return toAuthProfileView(
      await this.profiles.change(actor, appId, profileId, definedMembers({ ...changes, ssoType })),
    );
  }

  @AdminRoute('DELETE /apps/{appId}/auth-profiles/{profileId}', {
    summary: 'Delete an authorization profile and the tokens of its users',
    returns: data(AuthProfileGone),
    errors: [authProfileNotFound],
  })
  async delete(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @PathId('authProfile', 'profileId') profileId: Id<'authProfile'>,
  ) {
    return this.profiles.delete(actor, appId, profileId).then(() => ({ profileId }));
  }
}
