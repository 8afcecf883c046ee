// Compares what plugins can use with what docs/plugin-api.released.json lists: the last release, or the state in which the
// first one is prepared. Run as a program, it notes the present state there: `node scripts/documents/released-api.mjs`. It
// refuses to note breaks under a version that may have none, unless `--unreleased` says that no plugin has that version.
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { readJson } from '../json-file.mjs';
import { inProject } from '../project.mjs';

const PAGE = inProject('docs', 'plugin-api.md');
const RELEASED = inProject('docs', 'plugin-api.released.json');

/** The lines of each declaration, by where it is listed and its name. @typedef {Record<string, string[]>} Api */
/** @typedef {{ version: string, declarations: Api }} Released */

const DOOR = /^## (slipway\S*)$/;
const DECLARED = /^(?:abstract )?(?:class|const|enum|function|interface|let|type) (\w+)/;

/** @param {string} page the text of docs/plugin-api.md @returns {Api} */
export function apiOf(page) {
  /** @type {Api} */
  const api = {};
  let door = '';
  let declaration = '';
  for (const line of page.split('\n')) {
    if (line.startsWith('## ')) door = DOOR.exec(line)?.[1] ?? '';
    const name = DECLARED.exec(line)?.[1];
    if (name !== undefined) declaration = door ? `${name} of ${door}` : name;
    if (line.startsWith('```')) declaration = '';
    if (declaration) (api[declaration] ??= []).push(line.trim());
  }
  return api;
}

/**
 * Returns a sentence for each break, unless the version may have some. Additions break no plugin, except a member that a class of a
 * plugin has to have.
 * @param {Released} released @param {Api} api @param {string} version the present one
 */
export function breaksSince(released, api, version) {
  if (isNextMajor(released.version, version)) return [];
  const found = Object.entries(released.declarations).flatMap(([name, lines]) =>
    breaksOf(name, lines, placed(api, name)),
  );
  if (found.length === 0) return [];
  const next = nextMajor(released.version);
  return [
    ...found,
    `Plugins that work with Slipway ${released.version} may need these. Bring them back, or set the version in package.json to ${next} and name them in CHANGELOG.md.`,
  ];
}

/** A type that was listed because an export uses it may be an export now. @param {Api} api @param {string} name */
function placed(api, name) {
  if (api[name]) return api[name];
  const exported = Object.keys(api).find((each) => each.startsWith(`${name} of `));
  return exported === undefined ? undefined : api[exported];
}

/** @param {string} name @param {string[]} before @param {string[] | undefined} now */
function breaksOf(name, before, now) {
  if (!now) return [`${name} was removed.`];
  const removed = without(before, now).map((line) => `${name} no longer has: ${line}`);
  const needed = without(now.slice(1), before).filter((line) => line.startsWith('abstract '));
  return [...removed, ...needed.map((line) => `${name} now needs: ${line}`)];
}

/**
 * Returns the lines that others do not have. A line counts as often as it occurs, because nested types repeat lines.
 * @param {string[]} lines @param {string[]} others
 */
function without(lines, others) {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** @param {string} version */
function numbersOf(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return { major, minor };
}

/** While the major version is zero, the minor one has its meaning. @param {string} released @param {string} version */
function isNextMajor(released, version) {
  const [before, now] = [numbersOf(released), numbersOf(version)];
  return now.major > before.major || (now.major === 0 && before.major === 0 && now.minor > before.minor);
}

/** @param {string} released */
function nextMajor(released) {
  const { major, minor } = numbersOf(released);
  return major > 0 ? `${major + 1}.0.0` : `0.${minor + 1}.0`;
}

/** Returns what the page of the present code breaks. @param {string} page */
export function breaksIn(page) {
  return breaksSince(/** @type {Released} */ (readJson(RELEASED)), apiOf(page), presentVersion());
}

function presentVersion() {
  return /** @type {{ version: string }} */ (readJson(inProject('package.json'))).version;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const page = await readFile(PAGE, 'utf8');
  const breaks = process.argv.includes('--unreleased') ? [] : breaksIn(page);
  if (breaks.length > 0) {
    console.error([...breaks, 'If no plugin has this version yet, note them with --unreleased.'].join('\n'));
    process.exitCode = 1;
  } else {
    const released = { version: presentVersion(), declarations: apiOf(page) };
    writeFileSync(RELEASED, `${JSON.stringify(released, null, 2)}\n`);
  }
}
