// Makes a working module, which you then change into the one that you want: npm run new:module -- reading-lists
// With --tour, it prints steps that change the module, and makes nothing.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { namesOf } from './new-module/names.mjs';
import { tourOf } from './new-module/tour.mjs';
import { inProject } from './project.mjs';
import { explain, StartError } from './start-error.mjs';

/** @import { ModuleNames } from './new-module/names.mjs' */
/** @typedef {Map<string, string>} Files by their path in the project */

const TEMPLATE = inProject('scripts', 'new-module', 'template');
const APP_MODULE = 'src/app.module.ts';
const IDS = 'src/kernel/ids.ts';

try {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { tour: { type: 'boolean' } } });
  const [name] = positionals;
  await (values.tour ? tourOf(name).then(console.log) : make(name));
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}

/** @param {string | undefined} name */
async function make(name) {
  const names = namesOf(name);
  const made = filesOf(names);
  refuseClashes(names, made);
  const all = await formatted([...made, ...registration(names)]);
  // All files are made before the first one is written, so that a failure leaves no half of a module.
  for (const [path, text] of all) write(path, text);
  console.log(whatNext(names, [...made.keys()]));
}

/**
 * @param {ModuleNames} names
 * @returns {Files}
 */
function filesOf({ rename }) {
  const timestamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const templates = readdirSync(TEMPLATE, { recursive: true })
    .map(String)
    .filter((path) => statSync(join(TEMPLATE, path)).isFile())
    .sort();
  return new Map(
    templates.map((template) => {
      const path = rename(template)
        .replace('TIMESTAMP', timestamp)
        .replace(/\.template$/, '');
      return [path.replaceAll('\\', '/'), rename(readFileSync(join(TEMPLATE, template), 'utf8'))];
    }),
  );
}

/**
 * @param {ModuleNames} names
 * @param {Files} made
 */
function refuseClashes({ folder, kind, prefix, table, entity }, made) {
  const folders = [`src/modules/${folder}`, `test/${folder}`].filter((path) => existsSync(inProject(path)));
  const sources = ['src', 'migrations'].flatMap((path) => textsUnder(path)).join('\n');
  const taken = [
    ...folders,
    ...(new RegExp(`^ {2}${kind}: '|: '${prefix}'`, 'm').test(read(IDS)) ? [`the id of a ${kind} in ${IDS}`] : []),
    ...(new RegExp(`create table "?${table}"?\\s`).test(sources) ? [`the table ${table}`] : []),
    ...(new RegExp(`\\bclass ${entity}\\b|\\bid: '(${entity}|Create${entity})'`).test(sources)
      ? [`the name ${entity}`]
      : []),
    ...[...made.keys()].filter((path) => !folders.some((one) => path.startsWith(one)) && existsSync(inProject(path))),
  ];
  if (taken.length === 0) return;
  throw new StartError(`There is already ${taken.join(', ')}. Choose another name; nothing was changed.`);
}

/**
 * Adds the module to the two files that list all modules and all kinds of ids.
 * @param {ModuleNames} names
 * @returns {[path: string, text: string][]}
 */
function registration({ folder, module, kind, prefix }) {
  const appModule = replaceOnce(read(APP_MODULE), [
    [/(?=^import \{ PlatformModule \})/m, `import { ${module} } from './modules/${folder}/${folder}.module.js';\n`],
    [/(?<=imports: \[[^\]]*?)\s*,?\s*\](?=[^\]]*export class AppModule)/, `, ${module}]`],
  ]);
  const ids = replaceOnce(read(IDS), [[/(?<=ID_PREFIXES = \{[^}]*)(?=^\} as const)/m, `  ${kind}: '${prefix}',\n`]]);
  return [
    [APP_MODULE, appModule],
    [IDS, ids],
  ];
}

/**
 * @param {string} text
 * @param {[place: RegExp, replacement: string][]} changes
 */
function replaceOnce(text, changes) {
  return changes.reduce((result, [place, replacement]) => {
    if (!place.test(result)) throw new StartError(`${APP_MODULE} or ${IDS} does not look as expected: no ${place}.`);
    return result.replace(place, replacement);
  }, text);
}

/**
 * The module's names differ in length from the template's, so lines break elsewhere.
 * @param {[path: string, text: string][]} files
 * @returns {Promise<[path: string, text: string][]>}
 */
function formatted(files) {
  return Promise.all(
    files.map(async ([path, text]) => {
      const filepath = inProject(path);
      return /** @type {[string, string]} */ ([
        path,
        await format(text, { ...(await resolveConfig(filepath)), filepath }),
      ]);
    }),
  );
}

/**
 * @param {ModuleNames} names
 * @param {string[]} paths
 */
function whatNext({ folder, kind, prefix }, paths) {
  return `Made:
${paths.map((path) => `  ${path}`).join('\n')}
and added it to ${APP_MODULE} and ${IDS} (ids of a ${kind} begin with ${prefix}).

Next:
  npm run docs                 brings docs/openapi and the other documents up to date
  npm test -- ${folder} contract
                               the module's tests, and those that hold for every route
  npm start                    and try it at http://127.0.0.1:3000/docs

This prints the next steps for the module, as docs/extend/module.md has them:
  npm run --silent new:module -- ${folder} --tour

Add a line to CHANGELOG.md.`;
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function textsUnder(folder) {
  return readdirSync(inProject(folder), { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.ts'))
    .map((path) => read(join(folder, path)));
}

/** @param {string} path */
function read(path) {
  return readFileSync(inProject(path), 'utf8');
}

/**
 * @param {string} path
 * @param {string} text
 */
function write(path, text) {
  mkdirSync(dirname(inProject(path)), { recursive: true });
  writeFileSync(inProject(path), text);
}
