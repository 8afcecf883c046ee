import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The test runs in a copy of the project with the same dependencies. */
const root = fileURLToPath(new URL('../..', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'slipway-new-module-'));
const LEFT_OUT = ['node_modules', 'dist', '.data', '.git', 'coverage'];
const TOOLS_WITHIN_MS = 300_000;

beforeAll(() => {
  cpSync(root, copy, { recursive: true, filter: (path) => !LEFT_OUT.includes(relative(root, path)) });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

interface Outcome {
  code: number;
  output: string;
}

/** Runs a script with none of this environment except the path of programs. */
function run(script: string, ...args: string[]): Promise<Outcome> {
  const { PATH, HOME } = process.env;
  const options = { cwd: copy, env: { PATH, HOME }, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(process.execPath, [...script.split(' '), ...args], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr });
    });
  });
}

const bin = (path: string) => join('node_modules', path);
/** As `npm test` runs Jest: the service's threads load TypeScript sources too. One process loads the service only once. */
const jest = (...args: string[]) =>
  run(`--import ./test/support/typescript.mjs ${bin('jest/bin/jest.js')}`, '--runInBand', ...args);
const generate = (...args: string[]) => run('scripts/new-module.mjs', ...args);

async function expectToPass(work: Promise<Outcome>): Promise<void> {
  const { code, output } = await work;
  if (code !== 0) throw new Error(`It ended with ${code}:\n${output.slice(-20_000)}`);
}

/** A name with which many lines are broken that the template has in one. */
const LONG = 'customer-satisfaction-surveys';

/** Returns every file that the generator could have changed, with its content. */
function sources(): Record<string, string> {
  const paths = ['src', 'test', 'migrations'].flatMap((folder) =>
    readdirSync(join(copy, folder), { recursive: true }).map((path) => join(folder, String(path))),
  );
  const files = paths.filter((path) => path.endsWith('.ts'));
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(copy, path), 'utf8')]));
}

async function expectRefusal(args: string[], reason: RegExp): Promise<void> {
  const before = sources();
  const { code, output } = await generate(...args);
  expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(reason) as string });
  expect(output).not.toMatch(/^\s+at /m);
  expect(sources()).toEqual(before);
}

describe('npm run new:module refuses, and changes nothing', () => {
  it.each([
    ['no name', [], /Say what the module is about/],
    ['a name that is no folder', ['Reading Lists'], /small letters/],
    ['a path', ['../reading-lists'], /small letters/],
    ['a singular', ['reading-list'], /plural/],
    ['a word of JavaScript', ['classes'], /means something in JavaScript/],
    ['a class that JavaScript has', ['events'], /means something in JavaScript/],
    ['a thing that is there already', ['scopes'], /already.*the table scope/],
  ])('%s', async (_, args, reason) => {
    await expectRefusal(args, reason);
  });
});

/** Changes a generated module as its tour says. */
async function followTheTour(folder: string): Promise<void> {
  const before = sources();
  const { output } = await generate(folder, '--tour');
  expect(sources()).toEqual(before);
  const changes = changesIn(output);
  expect(changes).toHaveLength(24);
  for (const { path, kind, text } of changes) {
    if (kind === 'ts') writeFileSync(join(copy, path), text);
    else change(join(copy, inMigrations(path)), text);
  }
}

interface Change {
  path: string;
  /** A new file, or lines that are added and removed. */
  kind: 'ts' | 'diff';
  text: string;
}

/** A line that ends with a colon names the files which the next blocks of code change. */
function changesIn(tour: string): Change[] {
  let paths: string[] = [];
  return [...tour.matchAll(/^([^\n]*`(?:src|test|migrations)\/[^\n]*:)$|^```(ts|diff)\n(.*?)^```$/gms)].flatMap(
    (found) => {
      const [, place, kind, text] = found;
      if (place) paths = [...place.matchAll(/`([^`]+)`/g)].map(([, path]) => path!);
      return place ? [] : paths.map((path) => ({ path, kind: kind as Change['kind'], text: text! }));
    },
  );
}

/** Replaces the time in the name of a migration, which the tour leaves out. */
function inMigrations(path: string): string {
  if (!path.startsWith('migrations/…')) return path;
  const end = path.slice('migrations/…'.length);
  return join(
    'migrations',
    readdirSync(join(copy, 'migrations')).find((name) => name.endsWith(end))!,
  );
}

/** The lines that are there already have to be in the file once, so that a reader finds their place. */
function change(file: string, diff: string): void {
  const lines = diff.split('\n').slice(0, -1);
  const without = (sign: string) => lines.filter((line) => !line.startsWith(sign)).map((line) => line.slice(1));
  const parts = `\n${readFileSync(file, 'utf8')}`.split(`\n${without('+').join('\n')}\n`);
  if (parts.length !== 2) throw new Error(`${file} has the lines ${parts.length - 1} times:\n${diff}`);
  writeFileSync(file, parts.join(`\n${without('-').join('\n')}\n`).slice(1));
}

const isSource = (path: string) => path.startsWith('src/');
const foldersOf = (...modules: string[]) => modules.flatMap((name) => [`src/modules/${name}`, `test/${name}`]);

describe('the modules that it makes', () => {
  beforeAll(async () => {
    await expectToPass(generate('reading-lists'));
    await expectToPass(generate('stories'));
    await expectToPass(generate(LONG));
    for (const folder of ['reading-lists', LONG]) await followTheTour(folder);
    await expectToPass(run(bin('prettier/bin/prettier.cjs'), '--write', ...foldersOf('reading-lists', LONG)));
    await expectToPass(run('--eval', `import('./scripts/setup.mjs').then((setup) => setup.ensureBuilt(console.log))`));
  }, TOOLS_WITHIN_MS);

  it('have the files of a module, named for one and for many', () => {
    for (const file of [
      'reading-lists/reading-list.entity.ts',
      'stories/story.entity.ts',
      'stories/stories.service.ts',
    ]) {
      expect(existsSync(join(copy, 'src/modules', file))).toBe(true);
    }
    const made = Object.entries(sources()).filter(([path]) => /reading.list|(?<![a-z])stor(y|ies)/.test(path));
    expect(made).toHaveLength(27);
    for (const file of made) expect(file.join(' ')).not.toMatch(/[Ff]ield.?[Nn]ote|FIELD_NOTE|TIMESTAMP/);
  });

  it('cannot be made twice', async () => {
    await expectRefusal(['reading-lists'], /already src\/modules\/reading-lists/);
  });

  it('have right types', () => expectToPass(run(bin('typescript-7/bin/tsc'), '--singleThreaded')), TOOLS_WITHIN_MS);

  it(
    'pass lint, and keep the import law',
    async () => {
      const listed = ['migrations', 'src/app.module.ts', 'src/kernel/ids.ts', 'src/modules/permissions.ts'];
      const folders = foldersOf('reading-lists', 'stories', LONG);
      const touched = [...folders, ...listed];
      await expectToPass(run(bin('eslint/bin/eslint.js'), ...touched));
      await expectToPass(run(bin('prettier/bin/prettier.cjs'), '--check', ...touched));
      // The imports of all other files were checked without the modules, which only the list of modules imports.
      const others = `node_modules|^src/(kernel|platform)/|^src/modules/(?!reading-lists/|stories/|${LONG}/)`;
      const cruise = ['-T', 'err', '--do-not-follow', others, ...folders.filter(isSource), ...listed];
      await expectToPass(run(bin('dependency-cruiser/bin/dependency-cruiser.mjs'), ...cruise));
    },
    TOOLS_WITHIN_MS,
  );

  it('are documented', () => expectToPass(run('scripts/documents.mjs')), TOOLS_WITHIN_MS);

  it(
    'pass their own tests, and those that hold for everything',
    async () => {
      // The tests of routes and error codes run for one of the two modules, because the same rules hold for the other.
      const ofOne = ['--testNamePattern', '^(?!.*/api/|[A-Z]+_[A-Z_]+ )|reading-lists|^READING_LIST'];
      // These tests are about operations that are there without the modules.
      const ofNone = ['--testPathIgnorePatterns', 'contract/(client|published|postman)'];
      await expectToPass(jest('test/reading-lists', 'test/stories', 'test/contract', ...ofOne, ...ofNone));
    },
    TOOLS_WITHIN_MS,
  );
});
