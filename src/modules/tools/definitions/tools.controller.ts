import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../../kernel/actor.js';
import { type Id, toId } from '../../../kernel/ids.js';
import { MINUTE_MS } from '../../../kernel/spans.js';
import { CallingKey } from '../../../platform/auth/callers.js';
import { currentRequest } from '../../../platform/context/request-context.js';
import { plain } from '../../../platform/route/answer.js';
import { PathId } from '../../../platform/route/path-id.js';
import { Route } from '../../../platform/route/route.js';
import { dockAnswer } from '../../dock/dock.schema.js';
import { dockErrors } from '../../dock/dock.errors.js';
import { Dock } from '../../dock/dock.service.js';
import { filesErrors } from '../../files/files.errors.js';
import { toolsErrors } from '../tools.errors.js';
import {
  DeployTool,
  ExportToolQuery,
  ImportTool,
  ImportToolVersion,
  ToolList,
  ToolsQuery,
  ToolView,
  toToolView,
} from './tools.schema.js';
import { type ImportRequest, ToolsService } from './tools.service.js';

const DEPLOY_WITHIN_MS = MINUTE_MS;

@ApiTags('Tools')
@Controller()
export class ToolsController {
  constructor(
    private readonly tools: ToolsService,
    private readonly dock: Dock,
  ) {}

  @Route('GET /api/public/tools', {
    access: 'anyKey',
    summary: 'List tools, newest first',
    returns: plain(ToolList),
  })
  async list(@CallingKey() { projectId }: KeyActor, @Query({ schema: ToolsQuery }) query: ToolsQuery) {
    const { tools, total } = await this.tools.list(projectId, query);
    return { tools: tools.map(toToolView), total };
  }

  @Route('GET /api/public/tools/{toolId}', {
    access: 'anyKey',
    summary: 'Read a tool',
    returns: plain(ToolView),
    errors: [toolsErrors.toolNotFound],
  })
  async read(@CallingKey() { projectId }: KeyActor, @PathId('tool') toolId: Id<'tool'>) {
    return toToolView(await this.tools.read(projectId, toolId));
  }

  @Route('POST /api/public/tools/import', {
    access: 'anyKey',
    summary: 'Import a tool from its documents',
    description:
      'The documents are uploaded first: as .json files, or all together as the .zip of an export. An OpenAPI 3 document takes the place of both the tool and the flow document: send the id of its .json or .yaml file for each. Each of its `operations` then becomes a tool, and `response.tools` of the dock job lists them. GET `/api/public/schemas/tool/{name}` has their schemas. The dock job reports the faults of the documents. An env file that has the value of a secret is deleted when the import ends.',
    returns: dockAnswer('TOOLS IMPORT'),
    errors: [filesErrors.fileNotFound, toolsErrors.fileUnsuitable],
  })
  async import(@CallingKey() actor: KeyActor, @Body({ schema: ImportTool }) body: ImportTool) {
    return this.dock.answer(await this.tools.import(actor, toRequest(body)));
  }

  @Route('POST /api/public/tools/{toolId}/import', {
    access: 'anyKey',
    permissionForOtherScopes: 'DOCK_MANAGE',
    summary: 'Import another version of a tool',
    description:
      'The deployed version stays until you deploy again. A version has the variables of its own env file; without one it has none. A secret variable without a value keeps its present value if keys of the same scope imported that.',
    returns: dockAnswer('TOOLS IMPORT'),
    errors: [toolsErrors.toolNotFound, filesErrors.fileNotFound, toolsErrors.fileUnsuitable, dockErrors.jobInProgress],
  })
  async importInto(
    @CallingKey() actor: KeyActor,
    @PathId('tool') toolId: Id<'tool'>,
    @Body({ schema: ImportToolVersion }) body: ImportToolVersion,
  ) {
    return this.dock.answer(await this.tools.importInto(actor, toolId, toRequest(body)));
  }

  @Route('POST /api/public/tools/{toolId}/export', {
    access: 'anyKey',
    permissionForOtherScopes: 'DOCK_MANAGE',
    summary: 'Export a tool, without its secrets, as a ZIP file that can be imported again',
    returns: dockAnswer('TOOLS EXPORT'),
    errors: [
      toolsErrors.toolNotFound,
      toolsErrors.callflowNotFound,
      toolsErrors.toolNotReady,
      dockErrors.jobInProgress,
    ],
  })
  async export(
    @CallingKey() actor: KeyActor,
    @PathId('tool') toolId: Id<'tool'>,
    @Query({ schema: ExportToolQuery }) { flowId }: ExportToolQuery,
  ) {
    return this.dock.answer(await this.tools.export(actor, toolId, flowId));
  }

  @Route('POST /api/public/tools/{toolId}/deploy', {
    access: 'anyKey',
    permissionForOtherScopes: 'DOCK_MANAGE',
    summary: 'Deploy a tool, so that agents can call it and runs can be started',
    description:
      'With `isAsync: false` the answer comes when the deployment is done, or after 60 seconds with IN_PROGRESS. Repeating the request changes nothing, so it needs no Idempotency-Key.',
    returns: dockAnswer('TOOLS DEPLOY'),
    takesIdempotencyKey: false,
    errors: [toolsErrors.toolNotFound, toolsErrors.toolNotReady, dockErrors.jobInProgress],
  })
  async deploy(
    @CallingKey() actor: KeyActor,
    @PathId('tool') toolId: Id<'tool'>,
    @Body({ schema: DeployTool }) { isAsync }: DeployTool,
  ) {
    const started = await this.tools.deploy(actor, toolId);
    if (isAsync) return this.dock.answer(started);
    return this.dock.answer(await this.dock.ended(started, DEPLOY_WITHIN_MS, currentRequest()!.signal));
  }

  @Route('POST /api/public/tools/{toolId}/undeploy', {
    access: 'anyKey',
    permissionForOtherScopes: 'DOCK_MANAGE',
    summary: 'Undeploy a tool: no run starts any more, and existing runs continue',
    returns: dockAnswer('TOOLS UNDEPLOY'),
    errors: [toolsErrors.toolNotFound, toolsErrors.toolNotDeployed, dockErrors.jobInProgress],
  })
  async undeploy(@CallingKey() actor: KeyActor, @PathId('tool') toolId: Id<'tool'>) {
    return this.dock.answer(await this.tools.undeploy(actor, toolId));
  }
}

function toRequest(body: ImportToolVersion): ImportRequest {
  const { toolDataFileId, flowDataFileId, envVariablesFileId, toolName, operations, serverUrl } = body;
  return {
    toolDataFileId: toId('file', toolDataFileId),
    flowDataFileId: toId('file', flowDataFileId),
    envVariablesFileId: envVariablesFileId === undefined ? null : toId('file', envVariablesFileId),
    toolName: toolName ?? null,
    operations: operations ?? null,
    serverUrl: serverUrl ?? null,
  };
}
