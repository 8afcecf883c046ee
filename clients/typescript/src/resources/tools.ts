import { DockJob } from '../dock-job.js';
import { countedRowsOf } from '../lists.js';
import type { Schemas } from '../place.js';
import { bodyOf, once, type CallOptions, type OnceOptions, type Transport } from '../transport.js';
import type { Files } from './files.js';

/** A document of a tool: its content, the path of its file, or the id of an uploaded file. */
export type ToolDocument = object | string | { fileId: string };

export interface ToolDocuments {
  tool: ToolDocument;
  flow: ToolDocument;
  /** The variables of the flow. */
  env?: ToolDocument;
}

/** An OpenAPI 3 document, each of whose operations becomes a tool. */
export interface OpenApiTools {
  /** The document, or the path of its `.json` or `.yaml` file. */
  openApi: ToolDocument;
  /** The operations to import, each by its operationId or as `GET /path`. All of them, unless given. */
  operations?: string[];
  /** The address that is called in place of the document's server. */
  serverUrl?: string;
  /** The values of the security schemes, which are sealed, by the names of their variables, such as `API_KEY`. */
  secrets?: Record<string, string>;
}

const TOOL = '/api/public/tools/{toolId}';

/** Tools of the project: documents that are imported, deployed and run. */
export class Tools {
  constructor(
    private readonly http: Transport,
    private readonly files: Files,
  ) {}

  /**
   * Uploads the documents of a new tool, and imports them. Of an OpenAPI document, the job that has ended has the tools
   * in `response.tools`, and the operations that cannot be sent in `response.skipped`.
   */
  import(
    { toolName, ...documents }: (ToolDocuments | OpenApiTools) & { toolName: string },
    options: OnceOptions = {},
  ): DockJob {
    return new DockJob(this.http, async () => {
      const params = { header: once(options) };
      const body = { toolName, ...(await this.uploaded(documents, options)) };
      return bodyOf(this.http.api.POST('/api/public/tools/import', { params, body, ...this.http.with(options) }));
    });
  }

  /**
   * Imports another version of a tool. The deployed version stays until the tool is deployed again. Of an OpenAPI
   * document, a version takes one operation.
   */
  importInto(toolId: string, documents: ToolDocuments | OpenApiTools, options: OnceOptions = {}): DockJob {
    return new DockJob(this.http, async () => {
      const params = { header: once(options), path: { toolId } };
      const body = await this.uploaded(documents, options);
      return bodyOf(this.http.api.POST(`${TOOL}/import`, { params, body, ...this.http.with(options) }));
    });
  }

  deploy(toolId: string, options?: CallOptions): DockJob {
    return this.job(() =>
      this.http.api.POST(`${TOOL}/deploy`, {
        params: { path: { toolId } },
        body: { isAsync: true },
        ...this.http.with(options),
      }),
    );
  }

  undeploy(toolId: string, options: OnceOptions = {}): DockJob {
    return this.job(async () => {
      const params = { header: once(options), path: { toolId } };
      return this.http.api.POST(`${TOOL}/undeploy`, { params, ...this.http.with(options) });
    });
  }

  /** Exports a callflow. The job that has ended has the link in `response.downloadUrl`. */
  export(toolId: string, flowId: string, options: OnceOptions = {}): DockJob {
    return this.job(async () => {
      const params = { header: once(options), path: { toolId }, query: { flowId } };
      return this.http.api.POST(`${TOOL}/export`, { params, ...this.http.with(options) });
    });
  }

  /** Runs a deployed tool. */
  async execute(
    toolId: string,
    body: Schemas['ExecuteToolInput'],
    options: OnceOptions = {},
  ): Promise<Schemas['ToolRunAnswer']> {
    const params = { header: once(options), path: { toolId } };
    return bodyOf(this.http.api.POST(`${TOOL}/execute`, { params, body, ...this.http.with(options) }));
  }

  list(options: CallOptions = {}): AsyncGenerator<Schemas['Tool'], void, undefined> {
    return countedRowsOf(
      (offset) => this.http.api.GET('/api/public/tools', { params: { query: { offset } }, ...this.http.with(options) }),
      ({ tools }) => tools,
    );
  }

  read(toolId: string, options?: CallOptions): Promise<Schemas['Tool']> {
    return bodyOf(this.http.api.GET(TOOL, { params: { path: { toolId } }, ...this.http.with(options) }));
  }

  readRun(toolId: string, runId: string, options?: CallOptions): Promise<Schemas['ToolRun']> {
    const params = { path: { toolId, runId } };
    return bodyOf(this.http.api.GET(`${TOOL}/runs/{runId}`, { params, ...this.http.with(options) }));
  }

  private job(start: () => Promise<{ data?: Schemas['DockJobAnswer'] }>): DockJob {
    return new DockJob(this.http, () => bodyOf(start()));
  }

  private async uploaded(documents: ToolDocuments | OpenApiTools, options: CallOptions) {
    if ('openApi' in documents) return this.uploadedOpenApi(documents, options);
    const { tool, flow, env } = documents;
    const [toolDataFileId, flowDataFileId, envVariablesFileId] = await Promise.all([
      this.fileIdOf('tool.json', tool, options),
      this.fileIdOf('flow.json', flow, options),
      env && this.fileIdOf('env.json', env, options),
    ]);
    return { toolDataFileId, flowDataFileId, ...(envVariablesFileId !== undefined && { envVariablesFileId }) };
  }

  /** One file takes the place of the tool and the flow document. */
  private async uploadedOpenApi({ openApi, secrets, operations, serverUrl }: OpenApiTools, options: CallOptions) {
    const [fileId, envVariablesFileId] = await Promise.all([
      this.fileIdOf(`openapi.${isYaml(openApi) ? 'yaml' : 'json'}`, openApi, options),
      secrets && this.fileIdOf('env.json', envOf(secrets), options),
    ]);
    return {
      toolDataFileId: fileId,
      flowDataFileId: fileId,
      ...(envVariablesFileId !== undefined && { envVariablesFileId }),
      ...(operations !== undefined && { operations }),
      ...(serverUrl !== undefined && { serverUrl }),
    };
  }

  private async fileIdOf(name: string, document: ToolDocument, options: CallOptions): Promise<string> {
    if (typeof document === 'object' && 'fileId' in document) return document.fileId;
    const source =
      typeof document === 'string' || document instanceof Blob ? document : new Blob([JSON.stringify(document)]);
    const { signal, timeoutMs } = options;
    return (await this.files.upload(source, { context: 'tool', name, signal, timeoutMs })).fileId;
  }
}

/** Only the name of a file says that it is YAML. */
function isYaml(document: ToolDocument): boolean {
  const name = document instanceof File ? document.name : document;
  return typeof name === 'string' && /\.ya?ml$/i.test(name);
}

function envOf(secrets: Record<string, string>): object {
  const variables = Object.entries(secrets).map(([name, value]) => ({ name, value, secret: true }));
  return { schemaVersion: '1.0', variables };
}
