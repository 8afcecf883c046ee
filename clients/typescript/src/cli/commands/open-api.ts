import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { OpenApiTools } from '../../resources/tools.js';
import { UsageError, type Action, type Invocation } from '../command.js';
import { followed } from '../follow.js';
import { shown, table } from '../table.js';

/** The response of a job that has imported an OpenAPI document. */
interface Imported {
  tools?: { toolId: string; name: string; operation: string | null }[];
  skipped?: { operation: string; reason: string }[];
}

/** Imports operations of an OpenAPI document as tools. */
export const importOpenApi: Action = {
  usage: [
    'slipway tools import FILE [--name NAME] [--operation OPERATION] [--server-url URL]',
    '                          [--secret NAME] [--into TOOL_ID] [--deploy]',
  ].join('\n'),
  words: ['FILE'],
  options: {
    name: { type: 'string' },
    operation: { type: 'string', multiple: true },
    'server-url': { type: 'string' },
    secret: { type: 'string', multiple: true },
    into: { type: 'string' },
    deploy: { type: 'boolean' },
  },
  excludes: [['name', 'into']],
  async run(call) {
    const [file] = call.words;
    if (file === undefined) throw new UsageError('Say which OpenAPI document: slipway tools import FILE.');
    const secrets = secretsOf(call);
    const facts = await stat(file).catch(() => undefined);
    if (!facts?.isFile()) throw new UsageError(`There is no file ${file} that can be read, so nothing was sent.`);
    await importFile(file, secrets, call);
  },
};

async function importFile(openApi: string, secrets: Record<string, string>, call: Invocation): Promise<void> {
  const { terminal } = call;
  const [operations, serverUrl, into] = [call.texts('operation'), call.text('server-url'), call.text('into')];
  const documents: OpenApiTools = {
    openApi,
    ...(operations.length > 0 && { operations: [...operations] }),
    ...(serverUrl !== undefined && { serverUrl }),
    ...(Object.keys(secrets).length > 0 && { secrets }),
  };
  const slipway = await call.slipway();
  const toolName = call.text('name') ?? basename(openApi, extname(openApi));
  const job =
    into === undefined ? slipway.tools.import({ toolName, ...documents }) : slipway.tools.importInto(into, documents);
  const { response = {} } = await followed(job, 'Importing', call);
  const { tools = [], skipped = [] } = response as Imported;
  if (call.isSet('deploy')) {
    for (const { toolId, name } of tools) await followed(slipway.tools.deploy(toolId), `Deploying ${name}`, call);
  }
  const status = call.isSet('deploy') ? 'DEPLOYED' : 'READY';
  if (call.isJson) return terminal.json({ tools: tools.map((tool) => ({ ...tool, status })), skipped });
  terminal.say(
    table(
      ['ID', 'NAME', 'OPERATION', 'STATUS'],
      tools.map((tool) => [tool.toolId, tool.name, tool.operation, status]),
    ),
  );
  for (const { operation, reason } of skipped) terminal.note(shown(`Skipped ${operation}: ${reason}`));
}

/** A value on the command line would stay in the history of the shell, so it is in the environment. */
function secretsOf(call: Invocation): Record<string, string> {
  const entries = call.texts('secret').map((name) => {
    if (name.includes('='))
      throw new UsageError('--secret takes a name alone. Its value is in the environment variable of that name.');
    const value = call.env[name];
    if (!value) throw new UsageError(`The environment variable ${name} has no value, so nothing was sent.`);
    return [name, value] as const;
  });
  return Object.fromEntries(entries);
}
