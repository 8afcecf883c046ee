import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../../kernel/actor.js';
import { type Id, toId } from '../../../kernel/ids.js';
import { mapPage } from '../../../kernel/page.js';
import { Administrator } from '../../../platform/auth/callers.js';
import { data, page } from '../../../platform/route/answer.js';
import { PathId } from '../../../platform/route/path-id.js';
import { AdminRoute } from '../../../platform/route/route.js';
import { toolList, type ToolsRequest } from './tool.list.js';
import { toolVersionList, type ToolVersionsRequest } from './tool-version.list.js';
import { dockErrors } from '../../dock/dock.errors.js';
import {
  RollBackTool,
  ToolGone,
  toVersionFlows,
  toVersionView,
  ToolVersionFlows,
  ToolVersionView,
} from './tools.admin.schema.js';
import { toolsErrors } from '../tools.errors.js';
import { ToolView, toToolView } from './tools.schema.js';
import { ToolsService } from './tools.service.js';

@ApiTags('Administration: tools')
@Controller()
export class ToolsAdminController {
  constructor(private readonly tools: ToolsService) {}

  @AdminRoute('GET /projects/{projectId}/tools', {
    summary: 'List the tools of a project, by default oldest first',
    returns: page(ToolView),
  })
  async list(@PathId('project') projectId: Id<'project'>, @Query({ schema: toolList.query }) query: ToolsRequest) {
    return mapPage(await this.tools.page(projectId, query), toToolView);
  }

  @AdminRoute('GET /projects/{projectId}/tools/{toolId}', {
    summary: 'Read a tool',
    returns: data(ToolView),
    errors: [toolsErrors.toolNotFound],
  })
  async read(@PathId('project') projectId: Id<'project'>, @PathId('tool') toolId: Id<'tool'>) {
    return toToolView(await this.tools.readForAdministration(projectId, toolId));
  }

  @AdminRoute('GET /projects/{projectId}/tools/{toolId}/versions', {
    summary: 'List the versions of a tool, by default newest first',
    returns: page(ToolVersionView),
    errors: [toolsErrors.toolNotFound],
  })
  async versions(
    @PathId('project') projectId: Id<'project'>,
    @PathId('tool') toolId: Id<'tool'>,
    @Query({ schema: toolVersionList.query }) query: ToolVersionsRequest,
  ) {
    const { tool, versions } = await this.tools.versionsOf(projectId, toolId, query);
    return mapPage(versions, (version) => toVersionView(tool, version));
  }

  @AdminRoute('GET /projects/{projectId}/tools/{toolId}/versions/{versionId}', {
    summary: 'Read a version of a tool, with the nodes and edges of its flows',
    description: 'The nodes come without their templates and scripts.',
    returns: data(ToolVersionFlows),
    errors: [toolsErrors.toolNotFound, toolsErrors.versionNotFound],
  })
  async version(
    @PathId('project') projectId: Id<'project'>,
    @PathId('tool') toolId: Id<'tool'>,
    @PathId('toolVersion', 'versionId') versionId: Id<'toolVersion'>,
  ) {
    const { tool, version } = await this.tools.versionOf(projectId, toolId, versionId);
    return toVersionFlows(tool, version);
  }

  @AdminRoute('POST /projects/{projectId}/tools/{toolId}/roll-back', {
    summary: 'Make an older version the current version of the tool',
    description: 'If the tool is deployed, runs that start from now on use that version.',
    returns: data(ToolView),
    errors: [toolsErrors.toolNotFound, toolsErrors.versionNotFound, dockErrors.jobInProgress],
  })
  async rollBack(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @PathId('tool') toolId: Id<'tool'>,
    @Body({ schema: RollBackTool }) { versionId }: RollBackTool,
  ) {
    return toToolView(await this.tools.rollBack(actor, projectId, toolId, toId('toolVersion', versionId)));
  }

  @AdminRoute('DELETE /projects/{projectId}/tools/{toolId}', {
    summary: 'Delete a tool that is not deployed, with its versions and runs',
    returns: data(ToolGone),
    errors: [toolsErrors.toolNotFound, toolsErrors.toolDeployed, dockErrors.jobInProgress],
  })
  async delete(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @PathId('tool') toolId: Id<'tool'>,
  ) {
    return this.tools.delete(actor, projectId, toolId).then(() => ({ toolId }));
  }
}
