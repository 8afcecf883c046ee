import { access, stat } from 'node:fs/promises';
import type { Slipway } from '../../slipway.js';
import { UsageError, type Command, type Invocation } from '../command.js';
import { table } from '../table.js';

export const models: Command = {
  summary: 'Lists models, and uploads and imports one from a file.',
  usage: [
    'slipway models',
    'slipway models import FILE [--name NAME] [--adapter] [--dataset] [--resume UPLOAD_ID]',
  ].join('\n'),
  options: {
    name: { type: 'string' },
    adapter: { type: 'boolean' },
    dataset: { type: 'boolean' },
    resume: { type: 'string' },
  },
  async run(call) {
    const [action = 'list', file] = call.words;
    if (action === 'list') return list(await call.slipway(), call);
    if (action !== 'import')
      throw new UsageError(`slipway models has no action ${action}. slipway models --help lists them.`);
    if (file === undefined) throw new UsageError('Say which file: slipway models import FILE.');
    await access(file).catch(() => {
      throw new UsageError(`There is no file ${file} that can be read, so nothing was sent.`);
    });
    await importFile(await call.slipway(), file, call);
  },
};

async function list(slipway: Slipway, call: Invocation): Promise<void> {
  const rows = [];
  for await (const model of slipway.models.list()) rows.push(model);
  if (call.isJson) return rows.forEach((model) => call.terminal.json(model));
  const cells = rows.map(({ modelId, name, kind, state, fileSize }) => [modelId, name, kind, state, fileSize]);
  call.terminal.say(table(['ID', 'NAME', 'KIND', 'STATE', 'BYTES'], cells));
}

async function importFile(slipway: Slipway, file: string, call: Invocation): Promise<void> {
  const { terminal } = call;
  const time = await timeOf(file);
  const resume = uploadIn(call.text('resume'), time, file);
  let uploadId: string | undefined;
  let isUploaded = false;
  const imported = slipway.models.import(file, {
    context: call.isSet('dataset') ? 'dataset' : 'model',
    name: call.text('name'),
    resume,
    ...(call.isSet('adapter') && { isAdapter: true }),
    onSession: (sessionId) => (uploadId = sessionId),
  });
  try {
    await imported.wait({
      onProgress({ phase, percent, stage }) {
        isUploaded = phase === 'job';
        terminal.bar(stage ?? (isUploaded ? 'Importing' : 'Uploading'), percent);
      },
    });
  } catch (error) {
    if (uploadId !== undefined && !isUploaded) {
      terminal.note(`To continue the upload: slipway models import ${file} --resume ${uploadId}@${time}`);
    }
    throw error;
  }
  const { modelId } = await imported;
  if (modelId === undefined) throw new Error('The import has no model.');
  const model = await slipway.models.read(modelId);
  if (call.isJson) terminal.json(model);
  else terminal.say(`Imported ${model.name} (${model.modelId}): ${model.state}.`);
}

/** Returns when a file was last changed, as a short text. */
async function timeOf(file: string): Promise<string> {
  return Math.floor((await stat(file)).mtimeMs).toString(36);
}

/** The service cannot compare the bytes of a file, so the id of an upload has the time of its file with it. */
function uploadIn(resume: string | undefined, time: string, file: string): string | undefined {
  const [uploadId, timeThen = time] = resume?.split('@') ?? [];
  if (timeThen === time) return uploadId;
  throw new UsageError(`${file} has changed since this upload began, so nothing was sent. Import it without --resume.`);
}
