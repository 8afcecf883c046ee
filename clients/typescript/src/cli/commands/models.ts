import { access, constants, stat } from 'node:fs/promises';
import type { Slipway } from '../../slipway.js';
import { isInterruption } from '../../upload/upload.js';
import { actionsByName, UsageError, type Command, type Invocation } from '../command.js';
import { table } from '../table.js';
import { Interrupted } from '../terminal.js';

export const models: Command = {
  summary: 'Lists models, and uploads and imports one from a file.',
  ...actionsByName(
    'models',
    {
      list: { usage: 'slipway models', words: [], run: async (call) => list(await call.slipway(), call) },
      import: {
        usage: 'slipway models import FILE [--name NAME] [--adapter | --dataset] [--resume UPLOAD_ID]',
        words: ['FILE'],
        options: {
          name: { type: 'string' },
          adapter: { type: 'boolean' },
          dataset: { type: 'boolean' },
          resume: { type: 'string' },
        },
        excludes: [
          ['adapter', 'dataset'],
          ['adapter', 'resume'],
          ['dataset', 'resume'],
        ],
        async run(call) {
          const [file] = call.words;
          if (file === undefined) throw new UsageError('Say which file: slipway models import FILE.');
          await refuseUnreadable(file);
          await importFile(await call.slipway(), file, call);
        },
      },
    },
    'list',
  ),
};

/** Nothing is begun with the service before the file is known to be one. */
async function refuseUnreadable(path: string): Promise<void> {
  const facts = await stat(path).catch(() => undefined);
  if (facts?.isDirectory()) throw new UsageError(`${path} is a folder, so nothing was sent. Name the file in it.`);
  await access(path, constants.R_OK).catch(() => {
    throw new UsageError(`There is no file ${path} that can be read, so nothing was sent.`);
  });
  if (!facts?.isFile()) throw new UsageError(`${path} is not a file, so nothing was sent.`);
}

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
  const stop = new AbortController();
  const interrupt = () => stop.abort(new Interrupted());
  process.once('SIGINT', interrupt);
  const { signal } = stop;
  const imported = slipway.models.import(file, {
    context: call.isSet('dataset') ? 'dataset' : 'model',
    name: call.text('name'),
    resume,
    signal,
    ...(call.isSet('adapter') && { isAdapter: true }),
    onSession: (sessionId) => (uploadId = sessionId),
  });
  try {
    void imported.then(
      ({ dockStatusId }) => (call.facts.dockStatusId = dockStatusId),
      () => undefined,
    );
    await imported.wait({
      signal,
      onProgress({ phase, percent, stage }) {
        isUploaded = phase === 'job';
        terminal.bar(stage ?? (isUploaded ? 'Importing' : 'Uploading'), percent);
      },
    });
  } catch (error) {
    if (uploadId !== undefined && !isUploaded && isInterruption(error, signal)) {
      terminal.note(`To continue the upload: slipway models import ${file} --resume ${uploadId}@${time}`);
    }
    if (isUploaded && signal.aborted)
      terminal.note(`The import goes on: slipway jobs ${(await imported).dockStatusId}`);
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
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
