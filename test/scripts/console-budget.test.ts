import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from '../../scripts/project.mjs';

const BUDGET = inProject('scripts', 'console-budget.mjs');
/** The bytes that gzip adds to a file that it cannot make smaller. */
const GZIP = 23;
const FILE = 1_000 - GZIP;

/** Runs the last step of the build on a built console, and returns how it ends. */
function outcomeOf(folder: string, maxBytes?: number) {
  const given = [folder, maxBytes].map((each) => JSON.stringify(each) ?? 'undefined').join();
  const code = `import { keepBudget } from ${JSON.stringify(BUDGET)}; keepBudget(${given});`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  return { status, says: stderr };
}

/** Makes the files of a console that has five for its first page and one more for another. */
function builtConsole(): string {
  const folder = mkdtempSync(join(process.env.TEST_FOLDER!, 'console-'));
  const manifest = {
    'index.html': { file: 'entry.js', isEntry: true, css: ['entry.css'], imports: ['_shared.js'] },
    '_shared.js': { file: 'shared.js', imports: ['index.html'] },
    'src/pages/projects/projects.tsx': { file: 'projects.js', imports: ['_shared.js'] },
    'src/pages/other/other.tsx': { file: 'other.js' },
  };
  mkdirSync(join(folder, '.vite'));
  writeFileSync(join(folder, '.vite', 'manifest.json'), JSON.stringify(manifest));
  for (const file of ['index.html', 'entry.js', 'entry.css', 'shared.js', 'projects.js', 'other.js'])
    writeFileSync(join(folder, file), randomBytes(FILE));
  return folder;
}

it('fails the build of a console whose first page loads more than the limit', () => {
  const folder = builtConsole();
  expect(outcomeOf(folder, 5_000)).toEqual({ status: 0, says: '' });
  const { status, says } = outcomeOf(folder, 4_900);
  expect(status).toBe(1);
  expect(says).toContain('The first page of the console loads 5.0 KB compressed; the limit is 4.9 KB.');
});

it('holds for the console as it was built', () => {
  const folder = inProject('dist', 'console');
  expect(outcomeOf(folder)).toEqual({ status: 0, says: '' });
  expect(outcomeOf(folder, 100_000).status).toBe(1);
});
