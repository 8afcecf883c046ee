import type { Transaction } from '../../../platform/database/transaction.js';
import { z } from 'zod';
import { clock } from '../../../kernel/clock.js';
import { SlipwayError } from '../../../kernel/errors.js';
import type { Id } from '../../../kernel/ids.js';
import { shortened } from '../../../kernel/shortened.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { Events } from '../../../platform/events/events.js';
import { type DockError, type DockSubject, type DockTask, DockWork, DoesDockWork } from '../../dock/dock.port.js';
import { CompiledTools } from './compiled-tools.js';
import { DocumentReader } from '../documents/document-reader.js';
import { DocumentFault } from '../documents/documents.js';
import type { ReadTools } from '../documents/documents.thread.js';
import { scriptsIn } from '../documents/flow.js';
import type { OpenApiChoice } from '../openapi/open-api-tools.js';
import { type DocumentFiles, ToolFiles } from '../documents/tool-files.js';
import { ToolDeployed } from '../tools.events.js';
import { Tool } from './tool.entity.js';
import { type Deployed, ToolRepository } from './tool.repository.js';
import { ToolVersionRepository } from './tool-version.repository.js';
import { VersionSecrets } from './version-secrets.js';

const ATTEMPTS = 3;

type Subject<Data> = DockSubject<Data>;
const toolIdOf = ({ targetId }: { targetId: string }) => targetId as Id<'tool'>;

const ImportData = z.object({
  toolDataFileId: z.string(),
  flowDataFileId: z.string(),
  envVariablesFileId: z.string().nullable(),
  toolName: z.string().nullable(),
  scopeId: z.string().optional(),
  openApi: z
    .object({ operations: z.array(z.string()).nullable(), serverUrl: z.string().nullable(), most: z.number() })
    .nullish(),
});
type ImportData = DocumentFiles & {
  toolName: string | null;
  /** The scope of the key that imports. Jobs of the release before have none. */
  scopeId?: Id<'scope'>;
  openApi?: OpenApiChoice | null;
};

/** Reads and checks the documents, and creates a version from them. */
@DoesDockWork({ jobType: 'TOOLS', action: 'IMPORT', data: ImportData, attempts: ATTEMPTS })
export class ImportTool extends DockWork<ImportData> {
  constructor(
    private readonly tools: ToolRepository,
    private readonly versions: ToolVersionRepository,
    private readonly files: ToolFiles,
    private readonly reader: DocumentReader,
    private readonly versionSecrets: VersionSecrets,
  ) {
    super();
  }

  async run(task: DockTask<ImportData>): Promise<void> {
    let env: Buffer | null = null;
    try {
      task.progress(0, 'Reading the documents');
      const files = await this.files.read(task.projectId, task.data);
      env = files.env;
      task.progress(25, 'Checking the flow');
      const read = await this.reader.readTools({ ...files, openApi: task.data.openApi ?? null }, task);
      const scripts = read.tools.flatMap(({ documents }) => documents.scripts);
      await this.reader.checkScripts(scripts, task, (done) => task.progress(25 + 70 * done, 'Compiling the scripts'));
      await task.succeed(async (tx) => {
        await this.files.discardSecrets(tx, task.projectId, task.data, env);
        return this.keep(tx, task, read);
      });
    } catch (error) {
      const fault = faultIn(error);
      if (!fault) throw error;
      await task.fail(fault.code, fault.message, async (tx) => {
        await this.files.discardSecrets(tx, task.projectId, task.data, env);
        await this.markFailed(tx, task, fault);
      });
    }
  }

  async lock(tx: Transaction, subject: Subject<ImportData>): Promise<void> {
    await this.lockTool(tx, subject);
  }

  async onFailed(tx: Transaction, subject: Subject<ImportData>, failure: DockError): Promise<void> {
    await this.markFailed(tx, subject, failure);
  }

  /**
   * The first operation of an OpenAPI document becomes the tool that was started, and each other one a new tool. Jobs of
   * the release before, which may have no scope, have one tool.
   */
  private async keep(tx: Transaction, subject: Subject<ImportData>, { tools, skipped }: ReadTools) {
    const { data } = subject;
    const tool = (await this.lockTool(tx, subject))!;
    const scopeId = data.scopeId ?? null;
    const before = await this.versions.newestOf(tool.id);
    const kept = tools.map(({ operation, name, documents }, at) => {
      const kept = at === 0 ? tool : new Tool(tool.project, data.scopeId!, '');
      const version = this.versionSecrets.versionOf(kept, scopeId, documents, at === 0 ? before : null);
      tx.em.persist([kept, version]);
      kept.takeVersion(version.id);
      if (data.toolName !== null) kept.name = tools.length === 1 ? data.toolName : nameOf(data.toolName, name);
      return { toolId: kept.id, versionId: version.id, operation, name };
    });
    const { versionId } = kept[0]!;
    const { callflows } = tools[0]!.documents;
    if (!data.openApi) return { versionId, callflows };
    return { versionId, callflows, tools: kept, ...(skipped.length > 0 && { skipped }) };
  }

  private async markFailed(tx: Transaction, subject: Subject<ImportData>, failure: DockError): Promise<void> {
    (await this.lockTool(tx, subject))?.importFailed(failure);
  }

  private lockTool(tx: Transaction, { projectId, targetId }: Subject<ImportData>): Promise<Tool | null> {
    return this.tools.lockInProject(tx, projectId, targetId as Id<'tool'>);
  }
}

const LONGEST_NAME = 128;

function nameOf(toolName: string, operation: string): string {
  return shortened(`${toolName}: ${operation}`, LONGEST_NAME);
}

const DeployData = z.object({ versionId: z.string() });
type DeployData = { versionId: Id<'toolVersion'> };

/** Compiles everything that a run may need, and replaces the deployed version by this one. */
@DoesDockWork({ jobType: 'TOOLS', action: 'DEPLOY', data: DeployData, attempts: ATTEMPTS })
export class DeployTool extends DockWork<DeployData> {
  constructor(
    private readonly tools: ToolRepository,
    private readonly compiled: CompiledTools,
    private readonly reader: DocumentReader,
    private readonly audit: AuditTrail,
    private readonly events: Events,
  ) {
    super();
  }

  async run(task: DockTask<DeployData>): Promise<void> {
    const { versionId } = task.data;
    try {
      task.progress(0, 'Compiling');
      const { flows } = await this.compiled.of(versionId);
      const scripts = flows.flatMap(({ nodes }, at) => scriptsIn([...nodes.values()], at));
      await this.reader.checkScripts(scripts, task, (done) => task.progress(95 * done, 'Compiling the scripts'));
      await task.succeed((tx) => this.deploy(tx, task, versionId));
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      await task.fail(error.code, error.message);
    }
  }

  private async deploy(tx: Transaction, task: DockTask<DeployData>, versionId: Id<'toolVersion'>): Promise<void> {
    const { projectId, targetId } = task;
    const now = clock.now();
    const after = { deployedVersionId: versionId, deployedAt: now, modifiedAt: now };
    const before = await tx.ask(this.tools.deploy(projectId, toolIdOf(task), after));
    if (!before) throw new Error(`The tool ${targetId} has no version to deploy`);
    const isOther = before.deployedVersionId !== versionId;
    const changed = ({ deployedVersionId, ...times }: Deployed) => (isOther ? { deployedVersionId, ...times } : times);
    const what = { kind: 'tool', targetId, projectId, change: 'changed' as const };
    this.audit.note(tx, { ...what, before: changed(before), after: changed(after) });
    await this.events.publish(tx, ToolDeployed, { toolId: toolIdOf(task), projectId, versionId });
  }

  async lock(): Promise<void> {}

  /** Nothing changes: the version that was deployed before is still deployed. */
  async onFailed(): Promise<void> {}
}

const ExportData = z.object({ versionId: z.string(), callflowId: z.string() });
type ExportData = { versionId: Id<'toolVersion'>; callflowId: string };

/** Checks that the version exists. The archive is made at the download, from a version that never changes. */
@DoesDockWork({ jobType: 'TOOLS', action: 'EXPORT', data: ExportData, attempts: ATTEMPTS })
export class ExportTool extends DockWork<ExportData> {
  constructor(private readonly versions: ToolVersionRepository) {
    super();
  }

  async run(task: DockTask<ExportData>): Promise<void> {
    const version = await this.versions.ofTool(toolIdOf(task), task.data.versionId);
    if (!version) return task.fail('TOOL_NOT_FOUND', 'The tool was deleted in the meantime.');
    await task.succeed(async () => ({ versionId: version.id, flowId: task.data.callflowId }));
  }

  async lock(): Promise<void> {}

  async onFailed(): Promise<void> {}
}

/** Returns the fault of the documents, or that one of their files has been deleted in the meantime. */
function faultIn(error: unknown): { code: string; message: string } | undefined {
  if (error instanceof DocumentFault) return error;
  const isGone = error instanceof SlipwayError && error.spec.status === 404;
  return isGone ? { code: error.spec.code, message: error.message } : undefined;
}
