import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import type { AdminActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { mapPage } from '../../kernel/page.js';
import { Administrator } from '../../platform/auth/callers.js';
import { data, page } from '../../platform/route/answer.js';
import { PathId, PathName } from '../../platform/route/path-id.js';
import { AdminRoute } from '../../platform/route/route.js';
import { allAppsList, type AllAppsRequest, appList, type AppsRequest } from './app.list.js';
import { projectList, type ProjectsRequest } from './project.list.js';
import { ENVIRONMENT_IN_PATH } from './app.entity.js';
import { LiveEnvironments } from './live-environments.service.js';
import { tenancyErrors } from './tenancy.errors.js';
import {
  AppGone,
  AppView,
  AppWithProjectView,
  EnvironmentView,
  Naming,
  ProjectGone,
  ProjectView,
  toAppView,
  toAppWithProjectView,
  toEnvironmentView,
  toProjectView,
} from './tenancy.admin.schema.js';
import { TenancyService } from './tenancy.service.js';

@ApiTags('Administration: projects and apps')
@Controller()
export class TenancyAdminController {
  constructor(
    private readonly tenancy: TenancyService,
    private readonly environments: LiveEnvironments,
  ) {}

  @AdminRoute('POST /projects', {
    summary: 'Create a project',
    rightIn: 'installation',
    returns: data(ProjectView),
    status: 201,
  })
  async createProject(@Administrator() actor: AdminActor, @Body({ schema: Naming }) { name }: Naming) {
    return toProjectView(await this.tenancy.createProject(actor, name));
  }

  @AdminRoute('GET /projects', {
    summary: 'List projects, by default oldest first',
    rightIn: 'anyProject',
    returns: page(ProjectView),
  })
  async listProjects(@Administrator() actor: AdminActor, @Query({ schema: projectList.query }) query: ProjectsRequest) {
    return mapPage(await this.tenancy.listProjects(actor, query), toProjectView);
  }

  @AdminRoute('GET /projects/{projectId}', { summary: 'Read a project', returns: data(ProjectView) })
  async readProject(@PathId('project') projectId: Id<'project'>) {
    return toProjectView(await this.tenancy.project(projectId));
  }

  @AdminRoute('PATCH /projects/{projectId}', { summary: 'Rename a project', returns: data(ProjectView) })
  async renameProject(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @Body({ schema: Naming }) { name }: Naming,
  ) {
    return toProjectView(await this.tenancy.renameProject(actor, projectId, name));
  }

  @AdminRoute('DELETE /projects/{projectId}', {
    summary: 'Delete an empty project',
    rightIn: 'installation',
    description:
      'A project with apps, files, connections, MCP connections, models, tools, bots, JWT clients or administration keys is not deleted.',
    returns: data(ProjectGone),
    errors: [tenancyErrors.projectNotEmpty],
  })
  async deleteProject(@Administrator() actor: AdminActor, @PathId('project') projectId: Id<'project'>) {
    return this.tenancy.deleteProject(actor, projectId).then(() => ({ projectId }));
  }

  @AdminRoute('POST /projects/{projectId}/apps', {
    summary: 'Create an app, with its four environments',
    returns: data(AppView),
    status: 201,
  })
  async createApp(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @Body({ schema: Naming }) { name }: Naming,
  ) {
    return toAppView(await this.tenancy.createApp(actor, projectId, name));
  }

  @AdminRoute('GET /projects/{projectId}/apps', {
    summary: 'List the apps of a project, by default oldest first',
    returns: page(AppView),
  })
  async listApps(@PathId('project') projectId: Id<'project'>, @Query({ schema: appList.query }) query: AppsRequest) {
    return mapPage(await this.tenancy.listApps(projectId, query), toAppView);
  }

  @AdminRoute('GET /apps', {
    summary: 'List the apps of all projects, by default oldest first',
    description: 'Each app has the name of its project.',
    rightIn: 'anyProject',
    returns: page(AppWithProjectView),
  })
  async listAllApps(@Administrator() actor: AdminActor, @Query({ schema: allAppsList.query }) query: AllAppsRequest) {
    return mapPage(await this.tenancy.listAllApps(actor, query), toAppWithProjectView);
  }

  @AdminRoute('GET /apps/{appId}', { summary: 'Read an app', returns: data(AppView) })
  async readApp(@PathId('app') appId: Id<'app'>) {
    return toAppView(await this.tenancy.app(appId));
  }

  @AdminRoute('PATCH /apps/{appId}', { summary: 'Rename an app', returns: data(AppView) })
  async renameApp(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @Body({ schema: Naming }) { name }: Naming,
  ) {
    return toAppView(await this.tenancy.renameApp(actor, appId, name));
  }

  @AdminRoute('DELETE /apps/{appId}', {
    summary: 'Delete an app that has no scopes and no webhook subscriptions',
    description: 'Its environments, agents, users and their sessions are deleted with it.',
    returns: data(AppGone),
    errors: [tenancyErrors.appNotEmpty],
  })
  async deleteApp(@Administrator() actor: AdminActor, @PathId('app') appId: Id<'app'>) {
    return this.tenancy.deleteApp(actor, appId).then(() => ({ appId }));
  }

  @AdminRoute('GET /apps/{appId}/environments', {
    summary: 'List the environments of an app, each with its active agent',
    returns: data(z.array(EnvironmentView)),
  })
  async listEnvironments(@PathId('app') appId: Id<'app'>) {
    return (await this.environments.list(appId)).map(toEnvironmentView);
  }

  @AdminRoute('GET /apps/{appId}/environments/{envName}', {
    summary: 'Read an environment of an app, with its active agent',
    returns: data(EnvironmentView),
    errors: [tenancyErrors.environmentNotFound],
  })
  async readEnvironment(@PathId('app') appId: Id<'app'>, @PathName('envName', ENVIRONMENT_IN_PATH) envName: string) {
    return toEnvironmentView(await this.environments.read(appId, envName));
  }
}
