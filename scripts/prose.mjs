import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readJson } from './json-file.mjs';
import { inProject, root } from './project.mjs';
import { proseProblems } from './prose/prose-problems.mjs';

// `npm run lint:prose` reads every document and the comments of every program. If you name files, it reads only these,
// even if their area is not rewritten yet.
const chosen = process.argv.slice(2);
const paths = chosen.length > 0 ? chosen : rewritten(trackedFiles('*.md', '*.ts', '*.mjs', '*.js'));
let found = 0;
for (const path of paths) {
  for (const { line, rule, message } of await proseProblems(path, readFileSync(resolve(root, path), 'utf8'))) {
    console.log(`${path}:${line} ${rule}: ${message}`);
    found += 1;
  }
}
if (found > 0) {
  console.log(`\nSentences to change: ${found}. The words are in docs/glossary.md, examples in CONTRIBUTING.md.`);
  process.exitCode = 1;
}

/** @param {string[]} patterns */
function trackedFiles(...patterns) {
  const list = execFileSync('git', ['ls-files', '-z', '--', ...patterns], { cwd: root, encoding: 'utf8' });
  return list.split('\0').filter((path) => path !== '' && existsSync(inProject(path)));
}

/**
 * Leaves out the folders and files whose text has not been edited yet. New ones are never added to the list.
 * @param {string[]} files
 */
function rewritten(files) {
  const areas = /** @type {string[]} */ (readJson(inProject('scripts', 'prose', 'not-rewritten.json')));
  return files.filter((path) => !areas.some((area) => path.startsWith(area)));
}
