import { z } from 'zod';
import { exampleId } from '../../../kernel/ids.js';
import { anyJson, displayName, EXAMPLE_TIME, id, timestamp, wholeNumber } from '../../../kernel/schema.js';
import { RenderedJson } from '../../../platform/transfer/rendered-json.js';
import { TOOL_STATUSES } from './tool.entity.js';
import { TOOL_RUN_STATES, type ToolRunRow, type ToolRunStepRow } from '../runs/tool-run.entity.js';
import type { FoundTool } from './tools.service.js';

const fileId = id('file').describe('The id of a file from POST /api/public/files.');
const toolName = displayName.describe('The name that people see. Models use the name in the tool’s document.').meta({
  examples: ['Find an order'],
});

const files = {
  toolDataFileId: fileId.describe('The file with the tool document, with an export, or with an OpenAPI document.'),
  flowDataFileId: fileId.describe(
    'The file with the flow document, or the same file again if it has an export or an OpenAPI document.',
  ),
  envVariablesFileId: fileId.optional().describe('The file with the env document, or with an export.'),
};

export const ONLY_OPENAPI =
  'is only for an OpenAPI document; send the id of its file as toolDataFileId and as flowDataFileId';

const openApi = {
  operations: z
    .array(z.string().min(1).max(1_000))
    .min(1)
    .max(50)
    .refine((all) => new Set(all).size === all.length, 'names an operation twice')
    .optional()
    .describe(
      'The operations of an OpenAPI document to import, each by its operationId or as `GET /path`. Without it, all of them are imported.',
    )
    .meta({ examples: [['getPetById']] }),
  serverUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .max(2_048)
    .optional()
    .describe('The address that is called instead of the server in an OpenAPI document.')
    .meta({ examples: ['https://api.example.com/v1'] }),
};

const refuseWithoutOpenApi = (
  { toolDataFileId, flowDataFileId, operations, serverUrl }: Record<string, unknown>,
  context: z.RefinementCtx,
): void => {
  if (toolDataFileId === flowDataFileId) return;
  for (const [name, value] of Object.entries({ operations, serverUrl }))
    if (value !== undefined) context.addIssue({ code: 'custom', path: [name], message: ONLY_OPENAPI });
};

export const ImportTool = z
  .strictObject({ ...files, toolName, ...openApi })
  .superRefine(refuseWithoutOpenApi)
  .meta({
    id: 'ImportTool',
    examples: [{ toolDataFileId: exampleId('file'), flowDataFileId: exampleId('file'), toolName: 'Find an order' }],
  });
export type ImportTool = z.infer<typeof ImportTool>;

export const ImportToolVersion = z
  .strictObject({ ...files, toolName: toolName.optional(), ...openApi })
  .superRefine(refuseWithoutOpenApi)
  .meta({
    id: 'ImportToolVersion',
    examples: [{ toolDataFileId: exampleId('file'), flowDataFileId: exampleId('file') }],
  });
export type ImportToolVersion = z.infer<typeof ImportToolVersion>;

export const ExportToolQuery = z.strictObject({
  flowId: z
    .string()
    .min(1)
    .max(64)
    .describe('The callflow that is exported with the tool.')
    .meta({ examples: ['main'] }),
});
export type ExportToolQuery = z.infer<typeof ExportToolQuery>;

export const DeployTool = z
  .strictObject({
    isAsync: z
      .boolean()
      .describe('Whether the request answers at once. With `false` it waits for the end, for at most 60 seconds.'),
  })
  .meta({ id: 'DeployTool', examples: [{ isAsync: false }] });
export type DeployTool = z.infer<typeof DeployTool>;

export const ExecuteTool = z
  .strictObject({
    input: z.record(z.string(), anyJson).describe('The input of the run. It has to match the inputSchema of the tool.'),
    flowId: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('The id of the callflow to run. The default is the first one.'),
    isAsync: z
      .boolean()
      .default(false)
      .describe('Whether the request answers at once. GET on the run then has the result.'),
    timeoutMs: z
      .int()
      .min(1)
      .max(600_000)
      .default(60_000)
      .describe('The milliseconds for which the run may work. Waiting is not counted.'),
  })
  .meta({ id: 'ExecuteTool', examples: [{ input: { orderId: 'A-1001' } }] });
export type ExecuteTool = z.infer<typeof ExecuteTool>;

export const ToolsQuery = z.strictObject({
  limit: wholeNumber(1, 100).prefault(20),
  offset: wholeNumber(0, 2_147_483_647).prefault(0),
});
export type ToolsQuery = z.infer<typeof ToolsQuery>;

const error = z.object({ code: z.string(), message: z.string() });
const status = z.enum(TOOL_RUN_STATES);
const output = anyJson.optional();

export const RunAnswer = z.object({ runId: id('toolRun'), status, output, error: error.optional() }).meta({
  id: 'ToolRunAnswer',
  examples: [{ runId: exampleId('toolRun'), status: 'completed', output: { total: 42 } }],
});
export type RunAnswer = z.infer<typeof RunAnswer>;

const RunNode = z.object({
  step: z.int(),
  nodeId: z.string(),
  type: z.string(),
  status: z.enum(['completed', 'failed']),
  input: anyJson.optional(),
  output,
  error: error.optional(),
  startedAt: timestamp,
  durationMs: z.int(),
});

const runMembers = {
  runId: id('toolRun'),
  toolId: id('tool'),
  versionId: id('toolVersion'),
  flowId: z.string(),
  status,
  createdAt: timestamp,
  endedAt: timestamp.optional(),
  suspendedUntil: timestamp.optional(),
};

const runExample = {
  runId: exampleId('toolRun'),
  toolId: exampleId('tool'),
  versionId: exampleId('toolVersion'),
  flowId: 'main',
  status: 'completed',
  createdAt: EXAMPLE_TIME,
  endedAt: EXAMPLE_TIME,
};

export const RunView = z
  .object({ ...runMembers, input: anyJson, output, error: error.optional(), nodes: z.array(RunNode) })
  .meta({
    id: 'ToolRun',
    examples: [{ ...runExample, input: { orderId: 'A-1001' }, output: { total: 42 }, nodes: [] }],
  });

export const RunList = z
  .object({ runs: z.array(z.object(runMembers)), nextCursor: z.string().nullable() })
  .meta({ id: 'ToolRunList', examples: [{ runs: [runExample], nextCursor: null }] });

export const CallbackAnswer = z
  .object({ callbackId: id('suspension'), status: z.enum(['accepted', 'already_processed']) })
  .meta({ id: 'CallbackAnswer' });

export const ToolView = z
  .object({
    toolId: id('tool'),
    toolName: z.string().meta({ examples: ['Find an order'] }),
    status: z.enum(TOOL_STATUSES),
    error: error.optional().describe('The reason of a failed import. It is absent unless the status is FAILED.'),
    name: z
      .string()
      .nullable()
      .describe('The name by which models call the tool, or null until an import has succeeded.')
      .meta({ examples: ['find_order'] }),
    description: z
      .string()
      .nullable()
      .meta({ examples: ['Finds an order by its number.'] }),
    inputSchema: z
      .record(z.string(), anyJson)
      .nullable()
      .meta({ examples: [{ type: 'object' }] }),
    callflows: z.array(
      z.object({ id: z.string().meta({ examples: ['main'] }), name: z.string().meta({ examples: ['Main'] }) }),
    ),
    variables: z.array(
      z.object({
        name: z.string().meta({ examples: ['BASE_URL'] }),
        secret: z.boolean().meta({ examples: [false] }),
      }),
    ),
    versionId: id('toolVersion').nullable().describe('The version that the next deployment or export uses.'),
    deployedVersionId: id('toolVersion').nullable(),
    createdAt: timestamp,
    modifiedAt: timestamp,
  })
  .meta({ id: 'Tool' });
export type ToolView = z.infer<typeof ToolView>;

export const ToolList = z
  .object({ tools: z.array(ToolView), total: z.int().meta({ examples: [1] }) })
  .meta({ id: 'ToolList' });

export function toToolView({ tool, documents }: FoundTool): ToolView {
  return {
    toolId: tool.id,
    toolName: tool.name,
    status: tool.status,
    ...(tool.failure && { error: tool.failure }),
    name: documents?.tool.name ?? null,
    description: documents?.tool.description ?? null,
    inputSchema: (documents?.tool.inputSchema as ToolView['inputSchema']) ?? null,
    callflows: documents?.callflows.map(({ id, name }) => ({ id, name })) ?? [],
    variables: documents?.variables.map(({ name, secret }) => ({ name, secret })) ?? [],
    versionId: tool.versionId,
    deployedVersionId: tool.deployedVersionId,
    createdAt: tool.createdAt.toISOString(),
    modifiedAt: tool.modifiedAt.toISOString(),
  };
}

export function toRunAnswer(run: ToolRunRow): RunAnswer {
  const output = run.output === null ? {} : { output: parsed(run.output) };
  return { runId: run.id, status: run.state, ...output, ...errorOf(run) };
}

/**
 * Renders a `RunView`. The inputs and outputs of its nodes are JSON already and may be long, so they are not parsed.
 */
export function toRunJson(run: ToolRunRow, steps: readonly ToolRunStepRow[]): RenderedJson {
  const { output, errorCode, errorMessage } = run;
  const head = JSON.stringify({ ...toRunMembers(run), ...errorOf({ errorCode, errorMessage }) }).slice(0, -1);
  const runOutput = output === null ? '' : `,"output":${output}`;
  return new RenderedJson(`${head},"input":${run.input}${runOutput},"nodes":[`, steps.map(toNodeJson).join(','), ']}');
}

export function toRunMembers(run: ToolRunRow) {
  const { endedAt, suspendedUntil } = run;
  return {
    runId: run.id,
    toolId: run.toolId,
    versionId: run.versionId,
    flowId: run.callflowId,
    status: run.state,
    createdAt: run.createdAt.toISOString(),
    ...(endedAt && { endedAt: endedAt.toISOString() }),
    ...(suspendedUntil && { suspendedUntil: suspendedUntil.toISOString() }),
  };
}

function toNodeJson({
  step,
  nodeId,
  type,
  status,
  input,
  output,
  startedAt,
  endedAt,
  ...rest
}: ToolRunStepRow): string {
  const durationMs = endedAt.getTime() - startedAt.getTime();
  const head = JSON.stringify({
    ...{ step, nodeId, type, status, ...errorOf(rest) },
    ...{ startedAt: startedAt.toISOString(), durationMs },
  });
  return `${head.slice(0, -1)}${input === null ? '' : `,"input":${input}`}${output === null ? '' : `,"output":${output}`}}`;
}

function errorOf({ errorCode, errorMessage }: Pick<ToolRunRow, 'errorCode' | 'errorMessage'>) {
  return errorCode === null ? {} : { error: { code: errorCode, message: errorMessage ?? '' } };
}

function parsed(json: string): z.infer<ReturnType<typeof z.json>> {
  return JSON.parse(json) as z.infer<ReturnType<typeof z.json>>;
}
