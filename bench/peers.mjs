import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runQuietly } from '../scripts/command.mjs';
import { inProject, nestedNpmEnvironment } from '../scripts/project.mjs';
import { explain } from '../scripts/start-error.mjs';

const FOLDER = inProject('bench', 'peers');
const LOCK = join(FOLDER, 'package-lock.json');
const INSTALLED = join(FOLDER, 'node_modules', '.installed');

/** @type {Promise<boolean> | undefined} */
let installed;

/** Installs the other software into a folder of its own, and returns whether it is there. */
export function arePeersInstalled() {
  installed ??= install();
  return installed;
}

async function install() {
  const wanted = readFileSync(LOCK, 'utf8');
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === wanted) return true;
  console.log('Installing the software that is measured beside Slipway into bench/peers');
  try {
    const failure = 'The software that is measured beside Slipway could not be installed';
    await runQuietly('npm', ['ci', '--ignore-scripts'], { cwd: FOLDER, env: nestedNpmEnvironment(), failure });
    writeFileSync(INSTALLED, wanted);
    return true;
  } catch (error) {
    console.error(`${explain(error)}\nIt is left out of the measurements.`);
    return false;
  }
}
