import { readFile } from 'node:fs/promises';
import type { Tenant } from '../support/actors.js';
import type { Answer } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { upload } from '../files/files.js';

export const TOOLS = '/api/public/tools';
export const DOCK = '/api/public/dock-status';

export interface DockBody {
  dockStatusId: string;
  toolId: string;
  jobType: string;
  action: string;
  status: string;
  percentageComplete: number;
  exportJobId?: string;
  error?: { code: string; message: string };
  response?: Record<string, unknown>;
}

export interface RunBody {
  runId: string;
  status: string;
  output?: unknown;
  error?: { code: string; message: string };
}

export interface RunDetails extends RunBody {
  input: unknown;
  nodes: {
    nodeId: string;
    type: string;
    status: string;
    input?: unknown;
    output?: unknown;
    error?: { code: string; message: string };
    durationMs: number;
  }[];
}

type Json = Record<string, unknown>;

export interface Parts {
  toolName?: string;
  tool?: Json;
  flow?: Json;
  env?: Json;
}

export const ANY_INPUT = { type: 'object' };

export function toolDocument(more: Json = {}): Json {
  const tool = { name: 'a_tool', description: 'Does something.', inputSchema: ANY_INPUT, ...more };
  return { schemaVersion: '1.0', tool };
}

/** Returns a flow with these nodes in a row between a start and an end. Further edges are appended. */
export function flowOf(nodes: readonly Json[], more: { end?: Json; edges?: Json[]; nodes?: Json[] } = {}): Json {
  const line = [{ id: 'start', type: 'start' }, ...nodes, { id: 'end', type: 'end', ...more.end }] as Json[];
  const edges = line.slice(1).map((node, at) => {
    const { id: from, type } = line[at]!;
    return { from, to: node.id, ...(type === 'condition' && { when: 'true' }) };
  });
  return flowDocument([...line, ...(more.nodes ?? [])], [...edges, ...(more.edges ?? [])]);
}

export function flowDocument(nodes: unknown, edges: unknown): Json {
  return { schemaVersion: '1.0', callflows: [{ id: 'main', name: 'Main', nodes, edges }] };
}

export function envOf(variables: readonly Json[]): Json {
  return { schemaVersion: '1.0', variables };
}

export async function uploadJson({ api }: Tenant, value: unknown, name = 'document.json'): Promise<string> {
  const content = typeof value === 'string' ? value : JSON.stringify(value);
  const { status, body, text } = await upload(api, { name, content, fileContext: 'tool' });
  if (status !== 201) throw new Error(`The upload answered ${status}: ${text}`);
  return body.fileId;
}

export async function filesOf(tenant: Tenant, { tool = toolDocument(), flow = flowOf([]), env }: Parts = {}) {
  return {
    toolDataFileId: await uploadJson(tenant, tool),
    flowDataFileId: await uploadJson(tenant, flow),
    ...(env && { envVariablesFileId: await uploadJson(tenant, env) }),
  };
}

export async function importTool(tenant: Tenant, parts: Parts = {}): Promise<DockBody> {
  const body = { toolName: parts.toolName ?? 'A tool', ...(await filesOf(tenant, parts)) };
  return ended(tenant, (await tenant.api.post<DockBody>(`${TOOLS}/import`, body)).body);
}

/**
 * Waits for the end of a dock job and reads it. It follows the events, because each poll would count for the rate
 * limit.
 */
export async function ended({ api }: Tenant, { dockStatusId }: DockBody): Promise<DockBody> {
  await api.get(`${DOCK}/${dockStatusId}/events`);
  const { body } = await api.get<DockBody>(`${DOCK}/${dockStatusId}`);
  if (body.status === 'IN_PROGRESS') throw new Error(`Its events ended before it: ${JSON.stringify(body)}`);
  return body;
}

export async function importedTool(tenant: Tenant, parts: Parts = {}): Promise<string> {
  const job = await importTool(tenant, parts);
  if (job.status !== 'SUCCESS') throw new Error(`The import failed: ${JSON.stringify(job.error)}`);
  return job.toolId;
}

export async function deployedTool(tenant: Tenant, parts: Parts = {}): Promise<string> {
  const toolId = await importedTool(tenant, parts);
  const { body, text } = await tenant.api.post<DockBody>(`${TOOLS}/${toolId}/deploy`, { isAsync: false });
  if (body.status !== 'SUCCESS') throw new Error(`The deploy failed: ${text}`);
  return toolId;
}

export function execute({ api }: Tenant, toolId: string, input: Json = {}, more: Json = {}): Promise<Answer<RunBody>> {
  return api.post<RunBody>(`${TOOLS}/${toolId}/execute`, { input, ...more });
}

/** Imports, deploys and runs a tool with these parts, and returns the outcome. */
export async function outcomeOf(tenant: Tenant, parts: Parts, input: Json = {}, more: Json = {}): Promise<RunBody> {
  const { status, body, text } = await execute(tenant, await deployedTool(tenant, parts), input, more);
  if (status !== 200) throw new Error(`The execution answered ${text}`);
  return body;
}

export async function runOf({ api }: Tenant, toolId: string, runId: string): Promise<RunDetails> {
  return (await api.get<RunDetails>(`${TOOLS}/${toolId}/runs/${runId}`)).body;
}

/** Waits until the run has ended, and returns it. */
export function endedRun(tenant: Tenant, toolId: string, runId: string): Promise<RunDetails> {
  return eventually(
    () => runOf(tenant, toolId, runId),
    ({ status }) => status === 'completed' || status === 'failed',
  );
}

export async function exampleParts(): Promise<Required<Omit<Parts, 'toolName'>>> {
  const read = async (name: string) => {
    const path = new URL(`../../docs/examples/tool/${name}.json`, import.meta.url);
    return JSON.parse(await readFile(path, 'utf8')) as Json;
  };
  return { tool: await read('tool'), flow: await read('flow'), env: await read('env') };
}
