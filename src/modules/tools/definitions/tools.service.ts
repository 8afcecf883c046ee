import type { Transaction } from '../../../platform/database/transaction.js';
import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Actor, AdminActor, KeyActor } from '../../../kernel/actor.js';
import { type Id, newId } from '../../../kernel/ids.js';
import type { Page } from '../../../kernel/page.js';
import { Database } from '../../../platform/database/database.js';
import { Events } from '../../../platform/events/events.js';
import { validationError } from '../../../platform/route/validation.js';
import { toolList, type ToolsRequest } from './tool.list.js';
import { DockJob } from '../../dock/dock-job.entity.js';
import { nothingToUndeploy } from '../../dock/dock.errors.js';
import { Dock } from '../../dock/dock.service.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { RunEndings } from '../runs/run-endings.js';
import { Tool } from './tool.entity.js';
import type { Documents } from '../documents/documents.js';
import type { OpenApiChoice } from '../openapi/open-api-tools.js';
import { type DocumentFiles, ToolFiles } from '../documents/tool-files.js';
import { ToolRepository } from './tool.repository.js';
import type { ToolVersion } from './tool-version.entity.js';
import { toolVersionList, type ToolVersionsRequest } from './tool-version.list.js';
import { ToolVersionRepository } from './tool-version.repository.js';
import { toolsErrors } from '../tools.errors.js';
import { ToolDeployed, ToolUndeployed } from '../tools.events.js';
import { ONLY_OPENAPI } from './tools.schema.js';

const TOOL_DELETED = { code: 'TOOL_DELETED', message: 'The tool was deleted while it ran.' };

export interface ImportRequest extends DocumentFiles {
  toolName: string | null;
  /** The operations of an OpenAPI document to import. Null means all. */
  operations: string[] | null;
  serverUrl: string | null;
}

/** Each operation becomes a tool, and their rows are written in one transaction. */
const MOST_OPERATIONS = 50;

type CheckedImport = DocumentFiles & { toolName: string | null; openApi: OpenApiChoice | null };

export interface FoundTool {
  tool: Tool;
  /** The documents of the tool's current version. They are null if no import has succeeded. */
  documents: Documents | null;
}

/** Starts imports, deployments, undeployments and exports of tools as dock jobs, and reads tools and their versions. */
@Injectable()
export class ToolsService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly tools: ToolRepository,
    private readonly versions: ToolVersionRepository,
    private readonly files: ToolFiles,
    private readonly dock: Dock,
    private readonly endings: RunEndings,
    private readonly events: Events,
  ) {}

  async import(actor: KeyActor, request: ImportRequest): Promise<DockJob> {
    const checked = await this.checkImport(actor, request, MOST_OPERATIONS);
    return this.database.transaction(actor, async (tx) => {
      const tool = new Tool(await this.tenancy.project(actor.projectId), actor.scopeId, request.toolName ?? '');
      tx.em.persist(tool);
      await tx.em.flush();
      return this.startImport(tx, actor, tool, checked);
    });
  }

  /** Imports another version of a tool. The deployed version stays until the next deployment. */
  async importInto(actor: KeyActor, toolId: Id<'tool'>, request: ImportRequest): Promise<DockJob> {
    const { tool } = await this.read(actor.projectId, toolId);
    await this.dock.mustManage(actor, tool.scopeId);
    const checked = await this.checkImport(actor, request, 1);
    return this.change(actor, actor.projectId, toolId, (tx, locked) => this.startImport(tx, actor, locked, checked));
  }

  deploy(actor: KeyActor, toolId: Id<'tool'>): Promise<DockJob> {
    return this.change(actor, actor.projectId, toolId, async (tx, tool) => {
      // A current import is reported before TOOL_NOT_READY, because the tool may be ready when that import ends.
      if (tool.versionId === null) await this.dock.checkFree(tx, toolId);
      return this.start(tx, actor, tool, 'DEPLOY', { data: { versionId: ready(tool) } });
    });
  }

  /** No run begins after the commit. Current runs continue to their end. */
  undeploy(actor: KeyActor, toolId: Id<'tool'>): Promise<DockJob> {
    return this.change(actor, actor.projectId, toolId, async (tx, tool) => {
      const dockJob = await this.start(tx, actor, tool, 'UNDEPLOY', { isSettled: true });
      if (tool.deployedVersionId === null) throw nothingToUndeploy(toolsErrors.toolNotDeployed);
      tool.undeploy();
      await this.events.publish(tx, ToolUndeployed, { toolId, projectId: actor.projectId });
      return dockJob;
    });
  }

  export(actor: KeyActor, toolId: Id<'tool'>, callflowId: string): Promise<DockJob> {
    return this.change(actor, actor.projectId, toolId, async (tx, tool) => {
      await this.dock.checkFree(tx, toolId);
      const version = (await this.versions.byId(ready(tool)))!;
      if (!version.documents.callflows.some(({ id }) => id === callflowId))
        throw toolsErrors.callflowNotFound({ toolId });
      const data = { versionId: version.id, callflowId };
      return this.start(tx, actor, tool, 'EXPORT', { data, exportJobId: newId('toolExport') });
    });
  }

  async read(projectId: Id<'project'>, toolId: Id<'tool'>): Promise<FoundTool> {
    const tool = found(await this.tools.inProject(projectId, toolId));
    return (await this.withDocuments([tool]))[0]!;
  }

  async list(projectId: Id<'project'>, part: { limit: number; offset: number }) {
    const [tools, total] = await this.tools.list(projectId, part);
    return { tools: await this.withDocuments(tools), total };
  }

  async page(projectId: Id<'project'>, request: ToolsRequest): Promise<Page<FoundTool>> {
    await this.tenancy.project(projectId);
    const { items, nextCursor } = await toolList.page(this.tools, { project: projectId }, request);
    return { items: await this.withDocuments(items), nextCursor };
  }

  async readForAdministration(projectId: Id<'project'>, toolId: Id<'tool'>): Promise<FoundTool> {
    await this.tenancy.project(projectId);
    return this.read(projectId, toolId);
  }

  async versionsOf(
    projectId: Id<'project'>,
    toolId: Id<'tool'>,
    request: ToolVersionsRequest,
  ): Promise<{ tool: Tool; versions: Page<ToolVersion> }> {
    const { tool } = await this.readForAdministration(projectId, toolId);
    return { tool, versions: await toolVersionList.page(this.versions, { tool: toolId }, request) };
  }

  async versionOf(
    projectId: Id<'project'>,
    toolId: Id<'tool'>,
    versionId: Id<'toolVersion'>,
  ): Promise<{ tool: Tool; version: ToolVersion }> {
    const { tool } = await this.readForAdministration(projectId, toolId);
    return { tool, version: await this.version(toolId, versionId) };
  }

  /** Makes an older version the tool's current one. If the tool is deployed, new runs use that version. */
  rollBack(
    actor: AdminActor,
    projectId: Id<'project'>,
    toolId: Id<'tool'>,
    versionId: Id<'toolVersion'>,
  ): Promise<FoundTool> {
    return this.administer(actor, projectId, toolId, async (tx, tool) => {
      const version = await this.version(toolId, versionId);
      await this.dock.checkFree(tx, toolId);
      tool.rollBack(version.id);
      if (tool.status === 'DEPLOYED')
        await this.events.publish(tx, ToolDeployed, { toolId, projectId, versionId: version.id });
      return { tool, documents: version.documents };
    });
  }

  /** Deletes a tool with its versions and runs. Current runs fail first, so that their callers are notified. */
  async delete(actor: AdminActor, projectId: Id<'project'>, toolId: Id<'tool'>): Promise<void> {
    await this.administer(actor, projectId, toolId, async (tx, tool) => {
      if (tool.status === 'DEPLOYED') throw toolsErrors.toolDeployed();
      await this.dock.checkFree(tx, toolId);
      await this.endings.failAllOf(tx, toolId, TOOL_DELETED);
      tx.em.remove(tool);
    });
  }

  private async version(toolId: Id<'tool'>, versionId: Id<'toolVersion'>): Promise<ToolVersion> {
    const version = await this.versions.ofTool(toolId, versionId);
    if (!version) throw toolsErrors.versionNotFound({ toolId });
    return version;
  }

  private async checkImport(
    { projectId }: KeyActor,
    { operations, serverUrl, ...request }: ImportRequest,
    most: number,
  ): Promise<CheckedImport> {
    const isOpenApi = await this.files.isOpenApi(projectId, request);
    if (!isOpenApi) refuseChoice({ operations, serverUrl });
    await this.files.check(projectId, request, isOpenApi);
    return { ...request, openApi: isOpenApi ? { operations, serverUrl, most } : null };
  }

  private startImport(tx: Transaction, actor: KeyActor, tool: Tool, checked: CheckedImport): Promise<DockJob> {
    return this.start(tx, actor, tool, 'IMPORT', { data: { ...checked, scopeId: actor.scopeId } });
  }

  private start(
    tx: Transaction,
    { projectId, scopeId }: KeyActor,
    { id: targetId }: Tool,
    action: DockJob['action'],
    more: { data?: unknown; exportJobId?: Id<'toolExport'>; isSettled?: true },
  ): Promise<DockJob> {
    return this.dock.start(tx, { projectId, scopeId, jobType: 'TOOLS', action, targetId, ...more });
  }

  private change<T>(
    actor: Actor,
    projectId: Id<'project'>,
    toolId: Id<'tool'>,
    work: (tx: Transaction, tool: Tool) => Promise<T>,
  ): Promise<T> {
    return this.dock.starting(actor, toolId, async (tx) => {
      const tool = found(await this.tools.lockInProject(tx, projectId, toolId));
      await this.dock.mustManage(actor, tool.scopeId);
      return work(tx, tool);
    });
  }

  private administer<T>(
    actor: AdminActor,
    projectId: Id<'project'>,
    toolId: Id<'tool'>,
    work: (tx: Transaction, tool: Tool) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(actor, async () => {
      await this.tenancy.project(projectId);
      return this.change(actor, projectId, toolId, work);
    });
  }

  /** Yields to the event loop after each tool of a list, because parsing a long document blocks the process. */
  private async withDocuments(tools: readonly Tool[]): Promise<FoundTool[]> {
    const versions = await this.versions.byIds(tools.flatMap(({ versionId }) => versionId ?? []));
    const byId = new Map(versions.map((version) => [version.id, version]));
    const withDocuments: FoundTool[] = [];
    for (const tool of tools) {
      const version = tool.versionId && byId.get(tool.versionId);
      withDocuments.push({ tool, documents: version ? version.documents : null });
      if (tools.length > 1) await turn();
    }
    return withDocuments;
  }
}

function refuseChoice(choice: Pick<ImportRequest, 'operations' | 'serverUrl'>): void {
  const sent = Object.entries(choice).filter(([, value]) => value !== null);
  if (sent.length > 0) throw validationError(sent.map(([name]) => ({ path: [name], message: ONLY_OPENAPI })));
}

function found(tool: Tool | null): Tool {
  if (!tool) throw toolsErrors.toolNotFound();
  return tool;
}

function ready({ versionId }: Tool): Id<'toolVersion'> {
  if (versionId === null) throw toolsErrors.toolNotReady();
  return versionId;
}
