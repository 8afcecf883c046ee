import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Administration } from './administration.mjs';
import { median, ratiosOf, size, spread, table } from './measure.mjs';

/** @import { Environment } from './environment.mjs' */
/** @typedef {{ took: number[], text: string }} Measured */
/**
 * The members of the answers that this benchmark reads. Each route answers with some of them.
 * @typedef {object} Answer
 * @property {string} sessionId
 * @property {string} modelId
 * @property {string} dockStatusId
 * @property {string} status
 * @property {{ message: string }} error
 * @property {{ message: { content: string } }[]} choices
 */

const WORDS = 100;
/** With so many layers, the model writes about as fast as the fastest real ones. */
const LAYERS = 120;
const TIMES = 5;
const ROUNDS = size(5, 3);
const TARGET = 1.1;

/**
 * Compares an answer of a deployed model over HTTP, with its row in the ledger, with the same engine called directly.
 * @param {Environment} environment
 */
export default async function run(environment) {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-models-'));
  try {
    const file = join(folder, 'model.gguf');
    const content = await model();
    writeFileSync(file, content);
    const direct = await environment.startFloor('models', { MODEL_FILE: file });
    const service = await environment.startService({ MODEL_THREADS: '1' });
    const ask = await deployed(service.url, environment.adminKey, content);
    /** @type {{ direct: number[], through: number[] }} */
    const found = { direct: [], through: [] };
    const texts = new Set();
    console.log(`${ROUNDS} rounds of ${TIMES} answers of ${WORDS} words each, one after the other, taking turns`);
    for (let round = -1; round < ROUNDS; round += 1) {
      const floor = /** @type {Measured} */ (await direct.ask({ times: TIMES }));
      const ours = await answers(ask);
      for (const { text } of [floor, ours]) texts.add(text);
      if (round < 0) continue;
      found.direct.push(median(floor.took));
      found.through.push(median(ours.took));
    }
    const ratios = ratiosOf(found.through, found.direct);
    console.log(
      table([
        ['', 'the engine itself, ms', 'through Slipway, ms', 'ratio'],
        ['an answer', spread(found.direct, 1), spread(found.through, 1), spread(ratios, 2)],
      ]),
    );
    environment.judge({
      work: 'models: an answer of a deployed model',
      ours: `${spread(found.through, 1)} ms`,
      floor: `${spread(found.direct, 1)} ms, the engine itself`,
      ratio: spread(ratios, 2),
      target: `at most ${TARGET}`,
      isMet: median(ratios) <= TARGET,
    });
    return texts.size === 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes a deeper version of the tests' tiny model, which answers with a fixed number of words. */
export async function model() {
  const hooks = registerHooks({
    resolve: (name, context, next) => next(/^\.\.?\//.test(name) ? name.replace(/\.js$/, '.ts') : name, context),
  });
  const { tinyModel } = await import('../test/support/models/tiny-model.js');
  // Another benchmark of the same process would load its packages by them.
  hooks.deregister();
  return tinyModel({ layers: LAYERS, script: Array.from({ length: WORDS }, (_, at) => `word${at}`) });
}

/**
 * @param {(question: string) => Promise<string>} ask
 * @returns {Promise<Measured>}
 */
async function answers(ask) {
  /** @type {number[]} */
  const took = [];
  let text = '';
  for (let time = 0; time < TIMES; time += 1) {
    const began = performance.now();
    text = await ask(`Question ${time}`);
    took.push(performance.now() - began);
  }
  return { took, text };
}

/**
 * Imports and deploys the model as a client would, and returns a function that calls it.
 * @param {string} url
 * @param {string} adminKey
 * @param {Buffer<ArrayBuffer>} content
 */
export async function deployed(url, adminKey, content) {
  const administration = new Administration(url, adminKey);
  const appId = await administration.makeApp();
  await administration.makeScope(appId, 'benchmark', ['RUN_API']);
  const { apikey } = await administration.makeKey(appId, 'benchmark', 'load');
  const send = async (/** @type {string} */ path, /** @type {object | FormData | undefined} */ body = undefined) => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${url}/api/public${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-api-key': apikey, ...(!isForm && { 'content-type': 'application/json' }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return /** @type {Answer} */ (await response.json());
  };
  const ended = async (/** @type {string} */ id) => {
    for (;;) {
      const { status, error } = await send(`/dock-status/${id}`);
      if (status === 'FAILED') throw new Error(`The job failed: ${error.message}`);
      if (status === 'SUCCESS') return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const { sessionId, modelId } = await send('/files/session/start', {
    fileContext: 'model',
    fileName: 'bench',
    fileExtension: 'gguf',
    fileSize: content.length,
    totalChunks: 1,
  });
  const chunk = new FormData();
  chunk.append('chunkNumber', '0');
  chunk.append('file', new File([content], 'blob'));
  await send(`/files/session/${sessionId}`, chunk);
  await ended((await send(`/files/session/${sessionId}/complete`, {})).dockStatusId);
  const hyperParameters = { temperature: 0, maxTokens: 0, topP: 1, topK: 40 };
  const input = { name: 'bench', hyperParameters, deviceType: 'g4dn.xlarge' };
  await ended((await send(`/models/${modelId}/deploy?modelType=openSource`, input)).dockStatusId);
  return async (/** @type {string} */ question) => {
    const body = { model: modelId, messages: [{ role: 'user', content: question }] };
    const { choices } = await send('/llm/v1/chat/completions', body);
    return choices[0]?.message.content ?? '';
  };
}
