import { readdirSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { readJson } from '../json-file.mjs';
import { inProject, root } from '../project.mjs';
import { ensureClientBuilt } from '../setup.mjs';

/** @import { Slipway } from '../../clients/typescript/dist/index.js' */
/** @typedef {{ url: string, dataDir: string, adminKey: string, say: (line: string) => void }} Installation */

const SMALL = /** @type {const} */ ({
  hyperParameters: { temperature: 0.7, maxTokens: 256, topP: 0.9, topK: 40 },
  deviceType: 'g4dn.xlarge',
});
const MIB = 1024 * 1024;

/**
 * Returns the smallest model in a folder, because it starts soonest and needs the least memory. Returns undefined if the
 * folder has no model, or does not exist.
 * @param {string} [folder]
 * @returns {{ file: string, shown: string } | undefined}
 */
export function modelToTry(folder = inProject('models')) {
  const [smallest] = filesIn(folder)
    .filter((name) => name.endsWith('.gguf'))
    .map((name) => ({ file: join(folder, name), size: sizeOf(join(folder, name)) }))
    .filter(({ size }) => size > 0)
    .sort((a, b) => a.size - b.size);
  if (!smallest) return undefined;
  const { file, size } = smallest;
  return { file, shown: `${relative(root, file)} (${Math.ceil(size / MIB)} MiB)` };
}

/**
 * Returns 0 for what is no file, such as a link to a file that was removed.
 * @param {string} path
 */
function sizeOf(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : 0;
}

/** @param {string} folder */
function filesIn(folder) {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
}

/**
 * Returns whether the demo's project has a model that is deployed from this file.
 * @param {string} file
 * @param {Installation} installation
 */
export async function isDeployed(file, installation) {
  const { slipway } = await clientOf(installation);
  return (await modelsOf(slipway, file)).some(({ deployment }) => deployment !== undefined);
}

/**
 * Imports and deploys a model, and lets the demo's agent answer with it. A model that was imported before is not
 * imported again.
 * @param {string} file
 * @param {Installation} installation
 */
export async function tryModel(file, installation) {
  const { say } = installation;
  const { slipway, demo } = await clientOf(installation);
  const [earlier] = await modelsOf(slipway, file);
  const modelId = earlier?.modelId ?? (await importModel(slipway, file, say));
  if (!earlier?.deployment) {
    const deployment = slipway.models.deploy(modelId, { name: basename(file, '.gguf'), ...SMALL });
    await deployment.wait({ onProgress: progress('Deploying', say) });
  }
  await slipway.agents.change(demo.agentId, { modelId, connectionId: null });
  await slipway.agents.activate(demo.agentId);
  say(`The demo's agent answers with ${basename(file)}. A rollback of its environment brings back the model before.`);
}

/**
 * @param {Slipway} slipway
 * @param {string} file
 * @param {Installation['say']} say
 */
async function importModel(slipway, file, say) {
  const job = slipway.models.import(file);
  await job.wait({ onProgress: progress('Importing', say) });
  return (await job).modelId;
}

/**
 * Returns the models that were imported from a file with this name and size, those that are deployed first.
 * @param {Slipway} slipway
 * @param {string} file
 */
async function modelsOf(slipway, file) {
  const { size } = statSync(file);
  const models = [];
  for await (const model of slipway.models.list()) {
    const isSame = model.fileName === basename(file) && model.fileSize === size;
    if (isSame && model.state !== 'IMPORTING' && model.state !== 'FAILED') models.push(model);
  }
  return models.sort((a, b) => Number(b.deployment !== undefined) - Number(a.deployment !== undefined));
}

/**
 * Reports each quarter of the work.
 * @param {string} what
 * @param {Installation['say']} say
 */
function progress(what, say) {
  let quarter = 0;
  return (/** @type {{ percent: number }} */ { percent }) => {
    if (Math.floor(percent / 25) <= quarter) return;
    quarter = Math.floor(percent / 25);
    say(`${what} the model: ${quarter * 25} %`);
  };
}

/** @param {Installation} installation */
async function clientOf({ url, dataDir, adminKey, say }) {
  await ensureClientBuilt(say);
  const { Slipway } = await import('../../clients/typescript/dist/index.js');
  const demo = /** @type {{ appId: string, agentId: string, apiKey: string }} */ (readJson(join(dataDir, 'demo.json')));
  return { demo, slipway: new Slipway({ url, apiKey: demo.apiKey, adminKey, appId: demo.appId }) };
}
