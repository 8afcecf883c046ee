// Imports and deploys a model for the demo's agent of a running service.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readJson } from './json-file.mjs';
import { modelToTry, tryModel } from './launcher/model-to-try.mjs';
import { inProject } from './project.mjs';
import { explain, StartError } from './start-error.mjs';

const USAGE = `Usage: npm run try-model [-- FILE.gguf] [-- --url http://127.0.0.1:3000]

  FILE   the model; unless given, the smallest GGUF file in the folder models
  --url  the address of the service, which runs on this machine`;

try {
  const { values, positionals } = parseArgs({
    options: { url: { type: 'string', default: 'http://127.0.0.1:3000' }, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (values.help) console.log(USAGE);
  else await tryModel(fileOf(positionals), { url: values.url, ...demo(), say: console.log });
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}

/** @param {string[]} positionals */
function fileOf([named]) {
  const file = named === undefined ? modelToTry()?.file : resolve(named);
  if (file === undefined)
    throw new StartError('The folder models has no GGUF file. docs/models.md says where to get one.');
  if (!existsSync(file)) throw new StartError(`There is no file ${file}.`);
  return file;
}

function demo() {
  const dataDir = resolve(process.env.DATA_DIR || inProject('.data'));
  if (!existsSync(join(dataDir, 'demo.json')))
    throw new StartError(`${dataDir} has no demo. Start Slipway with npm start, which makes one.`);
  const secrets = join(dataDir, 'secrets.json');
  const own = existsSync(secrets) ? /** @type {Record<string, string>} */ (readJson(secrets)) : {};
  const adminKey = process.env.SLIPWAY_ADMIN_KEY ?? own.SLIPWAY_ADMIN_KEY;
  if (!adminKey) throw new StartError('Set SLIPWAY_ADMIN_KEY to an administration key.');
  return { dataDir, adminKey };
}
