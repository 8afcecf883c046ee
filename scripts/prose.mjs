import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { inProject, root } from './project.mjs';
import { proseProblems } from './prose/prose-problems.mjs';

// `npm run lint:prose` reads every document, and the comments and the texts for users of every program. If you name
// files, it reads only these.
const chosen = process.argv.slice(2);
const paths = chosen.length > 0 ? chosen : trackedFiles('*.md', '*.ts', '*.tsx', '*.mjs', '*.js');
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
