import { createInterface } from 'node:readline/promises';
import { explain } from '../start-error.mjs';
import { isDeployed, modelToTry, tryModel } from './model-to-try.mjs';

/** @import { Installation } from './model-to-try.mjs' */

/**
 * Offers to let the demo's agent answer with a model in the folder `models`. On a terminal it asks. Elsewhere it prints
 * the command, because there is no way to answer. The service runs on whatever happens here.
 * @param {Installation} installation
 */
export async function offerModel(installation) {
  const { say } = installation;
  try {
    const model = modelToTry();
    if (!model || (await isDeployed(model.file, installation))) return;
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      say(`The demo's agent can answer with ${model.shown}: npm run try-model`);
      return;
    }
    if (await isWanted(model.shown)) await tryModel(model.file, installation);
  } catch (error) {
    say(`The model cannot be tried: ${explain(error)}`);
  }
}

/** @param {string} shown */
async function isWanted(shown) {
  // The terminal keeps its own handling of lines, so that Ctrl-C still stops the service.
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  try {
    const answer = await lines.question(`Import and deploy ${shown} for the demo's agent? [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
