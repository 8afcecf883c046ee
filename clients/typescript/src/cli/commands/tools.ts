import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Slipway } from '../../slipway.js';
import { actionsByName, UsageError, type Command, type Invocation } from '../command.js';
import { followed } from '../follow.js';
import { table } from '../table.js';
import { importOpenApi } from './open-api.js';

interface Documents {
  tool: object;
  flow: object;
  env?: object;
}

export const tools: Command = {
  summary: 'Lists tools, deploys the documents of a folder, and imports OpenAPI documents.',
  notes: [
    'deploy: the folder has tool.json, flow.json and perhaps env.json. A tool of that name gets another version.',
    'import: FILE is an OpenAPI document. OPERATION is an operationId, or as "GET /path". --operation and --secret',
    'may be given several times. The value of a secret is that of the environment variable of its name.',
  ].join('\n'),
  ...actionsByName(
    'tools',
    {
      list: { usage: 'slipway tools', words: [], run: async (call) => list(await call.slipway(), call) },
      deploy: {
        usage: 'slipway tools deploy FOLDER [--name NAME]',
        words: ['FOLDER'],
        options: { name: { type: 'string' } },
        async run(call) {
          const [folder] = call.words;
          if (folder === undefined) throw new UsageError('Say which folder: slipway tools deploy FOLDER.');
          // All documents are read before anything is sent, so that a missing one leaves nothing half done.
          const documents = await documentsIn(folder);
          await deploy(await call.slipway(), call.text('name') ?? nameIn(documents.tool), documents, call);
        },
      },
      import: importOpenApi,
    },
    'list',
  ),
};

async function list(slipway: Slipway, call: Invocation): Promise<void> {
  const rows = [];
  for await (const tool of slipway.tools.list()) rows.push(tool);
  if (call.isJson) return rows.forEach((tool) => call.terminal.json(tool));
  const cells = rows.map(({ toolId, toolName, status, modifiedAt }) => [toolId, toolName, status, modifiedAt]);
  call.terminal.say(table(['ID', 'NAME', 'STATUS', 'CHANGED'], cells));
}

async function deploy(slipway: Slipway, toolName: string, documents: Documents, call: Invocation): Promise<void> {
  const { terminal, isJson } = call;
  const known = await find(slipway, toolName);
  const imported = known
    ? slipway.tools.importInto(known, documents)
    : slipway.tools.import({ toolName, ...documents });
  await followed(imported, 'Importing', call);
  const { toolId = known! } = await imported;
  if (!isJson) terminal.note(`Imported ${toolName} (${toolId}).`);
  await followed(slipway.tools.deploy(toolId), 'Deploying', call);
  const { deployedVersionId } = await slipway.tools.read(toolId);
  if (isJson) terminal.json({ toolId, toolName, deployedVersionId });
  else terminal.say(`Deployed ${toolName} (${toolId}), version ${deployedVersionId}.`);
}

async function find(slipway: Slipway, toolName: string): Promise<string | undefined> {
  for await (const tool of slipway.tools.list()) if (tool.toolName === toolName) return tool.toolId;
  return undefined;
}

async function documentsIn(folder: string): Promise<Documents> {
  const [tool, flow, env] = await Promise.all(
    ['tool', 'flow', 'env'].map((name) => documentIn(folder, `${name}.json`)),
  );
  if (!tool || !flow) throw new UsageError(`${folder} has no ${tool ? 'flow' : 'tool'}.json, so nothing was sent.`);
  return { tool, flow, ...(env && { env }) };
}

async function documentIn(folder: string, name: string): Promise<object | undefined> {
  const path = join(folder, name);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch (error) {
    throw new UsageError(`${path} is not JSON, so nothing was sent: ${(error as Error).message}`);
  }
}

function nameIn(document: object): string {
  const { tool } = document as { tool?: { name?: unknown } };
  if (typeof tool?.name === 'string') return tool.name;
  throw new UsageError('tool.json has no tool.name. Give the tool a name with --name.');
}
