import { Body, Controller, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { exampleId } from '../../kernel/ids.js';
import { mapPage } from '../../kernel/page.js';
import type { AdminActor } from '../../platform/auth/actor.js';
import { CurrentActor } from '../../platform/auth/current-actor.js';
import { CursorQuery } from '../../platform/http/cursor-query.js';
import { Route } from '../../platform/http/route.js';
import { tenancyErrors } from './tenancy.errors.js';
import {
  AppView,
  EnvironmentView,
  NameBody,
  ProjectView,
  toAppView,
  toEnvironmentView,
  toProjectView,
} from './tenancy.schema.js';
import { TenancyService } from './tenancy.service.js';

const access = 'administration';
const ProjectGone = z
  .object({ projectId: z.string() })
  .meta({ id: 'ProjectGone', examples: [{ projectId: exampleId('project') }] });
const AppGone = z.object({ appId: z.string() }).meta({ id: 'AppGone', examples: [{ appId: exampleId('app') }] });

@ApiTags('Administration: projects and apps')
@Controller()
export class TenancyAdminController {
  constructor(private readonly tenancy: TenancyService) {}

  @Route('POST /api/admin/v1/projects', {
    access,
    summary: 'Create a project',
    returns: ProjectView,
    envelope: 'data',
    status: 201,
  })
  async createProject(
    @CurrentActor() actor: AdminActor,
    @Body({ schema: NameBody }) { name }: z.infer<typeof NameBody>,
  ) {
    return toProjectView(await this.tenancy.createProject(actor, name));
  }

  @Route('GET /api/admin/v1/projects', {
    access,
    summary: 'List projects, oldest first',
    returns: ProjectView,
    envelope: 'page',
  })
  async listProjects(@Query({ schema: CursorQuery }) query: CursorQuery) {
    return mapPage(await this.tenancy.listProjects(query), toProjectView);
  }

  @Route('GET /api/admin/v1/projects/{projectId}', {
    access,
    summary: 'Read a project',
    returns: ProjectView,
    envelope: 'data',
  })
  async readProject(@Param('projectId') projectId: string) {
    return toProjectView(await this.tenancy.project(projectId));
  }

  @Route('PATCH /api/admin/v1/projects/{projectId}', {
    access,
    summary: 'Rename a project',
    returns: ProjectView,
    envelope: 'data',
  })
  async renameProject(
    @CurrentActor() actor: AdminActor,
    @Param('projectId') projectId: string,
    @Body({ schema: NameBody }) { name }: z.infer<typeof NameBody>,
  ) {
    return toProjectView(await this.tenancy.renameProject(actor, projectId, name));
  }

  @Route('DELETE /api/admin/v1/projects/{projectId}', {
    access,
    summary: 'Delete a project that has no apps',
    returns: ProjectGone,
    envelope: 'data',
    errors: [tenancyErrors.projectNotEmpty],
  })
  deleteProject(@CurrentActor() actor: AdminActor, @Param('projectId') projectId: string) {
    return this.tenancy.deleteProject(actor, projectId);
  }

  @Route('POST /api/admin/v1/projects/{projectId}/apps', {
    access,
    summary: 'Create an app, with its four environments',
    returns: AppView,
    envelope: 'data',
    status: 201,
  })
  async createApp(
    @CurrentActor() actor: AdminActor,
    @Param('projectId') projectId: string,
    @Body({ schema: NameBody }) { name }: z.infer<typeof NameBody>,
  ) {
    return toAppView(await this.tenancy.createApp(actor, projectId, name));
  }

  @Route('GET /api/admin/v1/projects/{projectId}/apps', {
    access,
    summary: 'List the apps of a project, oldest first',
    returns: AppView,
    envelope: 'page',
  })
  async listApps(@Param('projectId') projectId: string, @Query({ schema: CursorQuery }) query: CursorQuery) {
    return mapPage(await this.tenancy.listApps(projectId, query), toAppView);
  }

  @Route('GET /api/admin/v1/apps/{appId}', {
    access,
    summary: 'Read an app',
    returns: AppView,
    envelope: 'data',
  })
  async readApp(@Param('appId') appId: string) {
    return toAppView(await this.tenancy.app(appId));
  }

  @Route('PATCH /api/admin/v1/apps/{appId}', {
    access,
    summary: 'Rename an app',
    returns: AppView,
    envelope: 'data',
  })
  async renameApp(
    @CurrentActor() actor: AdminActor,
    @Param('appId') appId: string,
    @Body({ schema: NameBody }) { name }: z.infer<typeof NameBody>,
  ) {
    return toAppView(await this.tenancy.renameApp(actor, appId, name));
  }

  @Route('DELETE /api/admin/v1/apps/{appId}', {
    access,
    summary: 'Delete an app that has no scopes',
    returns: AppGone,
    envelope: 'data',
    errors: [tenancyErrors.appNotEmpty],
  })
  deleteApp(@CurrentActor() actor: AdminActor, @Param('appId') appId: string) {
    return this.tenancy.deleteApp(actor, appId);
  }

  @Route('GET /api/admin/v1/apps/{appId}/environments', {
    access,
    summary: 'List the environments of an app',
    returns: z.array(EnvironmentView),
    envelope: 'data',
  })
  async listEnvironments(@Param('appId') appId: string) {
    return (await this.tenancy.environments(appId)).map(toEnvironmentView);
  }

  @Route('GET /api/admin/v1/apps/{appId}/environments/{envName}', {
    access,
    summary: 'Read an environment of an app',
    returns: EnvironmentView,
    envelope: 'data',
    errors: [tenancyErrors.environmentNotFound],
  })
  async readEnvironment(@Param('appId') appId: string, @Param('envName') envName: string) {
    return toEnvironmentView(await this.tenancy.environment(appId, envName));
  }
}
