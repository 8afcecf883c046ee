import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import type { DockJob } from '../../dock/dock-job.entity.js';
import { Dock } from '../../dock/dock.service.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { DocumentReader } from '../documents/document-reader.js';
import { Tool } from './tool.entity.js';
import { VersionSecrets } from './version-secrets.js';

/** The documents of a tool that comes with the service. */
export interface ToolToInstall {
  name: string;
  tool: object;
  flow: object;
}

/** Tools that come with the service: they are deployed from the start, without files to import. */
@Injectable()
export class ToolInstallsService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly reader: DocumentReader,
    private readonly versionSecrets: VersionSecrets,
    private readonly dock: Dock,
  ) {}

  /** Returns the dock job of the deployment, which is done. Keys of the scope may change and undeploy the tool. */
  async install(
    actor: Actor,
    projectId: Id<'project'>,
    scopeId: Id<'scope'>,
    { name, tool: toolDocument, flow }: ToolToInstall,
  ): Promise<DockJob> {
    const request = { tool: toBytes(toolDocument), flow: toBytes(flow), env: null };
    const documents = await this.reader.read(request, { projectId, signal: new AbortController().signal });
    return this.database.transaction(actor, async (tx) => {
      const tool = new Tool(await this.tenancy.project(projectId), scopeId, name);
      const version = this.versionSecrets.versionOf(tool, scopeId, documents, null);
      tool.takeVersion(version.id);
      tool.deploy(version.id);
      tx.em.persist([tool, version]);
      await tx.em.flush();
      const what = { jobType: 'TOOLS', action: 'DEPLOY', targetId: tool.id } as const;
      return this.dock.start(tx, { projectId, scopeId, ...what, isSettled: true });
    });
  }
}

function toBytes(document: object): Buffer {
  return Buffer.from(JSON.stringify(document));
}
