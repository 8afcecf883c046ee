import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem, type } from 'node:os';
import { inProject, root } from '../scripts/project.mjs';
import { IS_QUICK, table } from './measure.mjs';
import { arePeersInstalled } from './peers.mjs';

/**
 * The result of a benchmark for one kind of work.
 * @typedef {object} Figure
 * @property {string} work
 * @property {string} ours
 * @property {string} [floor] empty if there is none
 * @property {string} [ratio] the part of the floor that Slipway reaches
 * @property {string[]} [peers] what other software of the kind reaches beside it
 * @property {string} target
 * @property {boolean | undefined} isMet undefined if this run cannot measure it
 */

const DOCUMENT = inProject('docs', 'figures.md');
const BEGIN = '<!-- The table begins: npm run bench -- all --write -->';
const END = '<!-- The table ends. -->';

/**
 * Formats the figures of all benchmarks as one table, with the machine and the commit.
 * @param {Figure[]} figures
 */
export async function tableOf(figures) {
  const lines = figures.map(({ work, ours, floor = '', ratio = '', peers = [], target, isMet }) => [
    work,
    ours,
    floor,
    ratio,
    peers.join('; '),
    `${target}, ${verdictOf({ isMet })}`,
  ]);
  const head = ['Work', 'Slipway', 'Floor', 'Ratio', 'Peers', 'Target'];
  return `${table([head, ...lines])}\n\n${circumstances(await arePeersInstalled())}`;
}

/**
 * Says whether a target is met.
 * @param {Pick<Figure, 'isMet'>} figure
 */
export function verdictOf({ isMet }) {
  if (isMet === undefined) return 'not measured';
  return isMet ? 'met' : 'missed';
}

/**
 * Puts the table into docs/figures.md.
 * @param {string} text
 */
export function writeToDocument(text) {
  const document = readFileSync(DOCUMENT, 'utf8');
  const [before = '', rest] = document.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`${DOCUMENT} lacks the marks between which the table stands.`);
  writeFileSync(DOCUMENT, `${before}${BEGIN}\n\n${text}\n\n${END}${after}`);
}

/** @param {boolean} hasPeers */
function circumstances(hasPeers) {
  const [{ model = 'unknown processor' } = {}] = cpus();
  const gib = Math.round(totalmem() / 2 ** 30);
  const mode = IS_QUICK ? ' These are the short measurements of `--quick`.' : '';
  const peers = hasPeers ? '' : ' The peers could not be installed.';
  const minutes = Math.ceil(process.uptime() / 60);
  return `${cpus().length} cores (${model.trim()}), ${gib} GiB, ${type()}, Node ${process.versions.node}, commit ${commit()}. The run took ${minutes} minutes.${mode}${peers}`;
}

function commit() {
  try {
    const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
    const isChanged = git('status', '--porcelain', '--untracked-files=no') !== '';
    return `${git('rev-parse', '--short=10', 'HEAD')}${isChanged ? ' with changes' : ''}`;
  } catch {
    return 'unknown';
  }
}
