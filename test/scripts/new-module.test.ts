import { execFile, execFileSync } from 'node:child_process';
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
/** As `npm test` runs Jest: the service's threads load TypeScript sources too. */
const jest = (...args: string[]) => run(`--import ./test/support/typescript.mjs ${bin('jest/bin/jest.js')}`, ...args);
const generate = (...args: string[]) => run('scripts/new-module.mjs', ...args);

async function expectToPass(work: Promise<Outcome>): Promise<void> {
  const { code, output } = await work;
  if (code !== 0) throw new Error(`It ended with ${code}:\n${output.slice(-20_000)}`);
}

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

describe('the modules that it makes', () => {
  beforeAll(async () => {
    await expectToPass(generate('reading-lists'));
    await expectToPass(generate('stories'));
    followTheGuide();
    await expectToPass(run('--eval', `import('./scripts/setup.mjs').then((setup) => setup.ensureBuilt(console.log))`));
  }, TOOLS_WITHIN_MS);

  /** Changes the generated module as docs/add-a-module.md says. */
  function followTheGuide(): void {
    const guide = readFileSync(join(copy, 'docs/add-a-module.md'), 'utf8');
    const columns = [...guide.matchAll(/```sql\n(.+\n)```/g)].map(([, column]) => column!);
    const index = /```ts\n(this\.addSql.+\n)```/.exec(guide)![1]!;
    expect(columns).toHaveLength(2);
    const migrations = join(copy, 'migrations');
    const migration = join(
      migrations,
      readdirSync(migrations).find((name) => name.endsWith('_create_reading_list.ts'))!,
    );
    const [line, end] = ['name text not null,\n', '      )`);\n'];
    const created = readFileSync(migration, 'utf8');
    const related = created.replace(line, line + columns.join('')).replace(end, `${end}    ${index}`);
    writeFileSync(migration, related);
    const changes = [...guide.matchAll(/^git apply (.+)$/gm)].map(([, path]) => path!);
    expect(changes).toHaveLength(4);
    for (const change of changes) execFileSync('git', ['apply', change], { cwd: copy });
  }

  const generated = ['src/modules', 'test'].flatMap((folder) => [`${folder}/reading-lists`, `${folder}/stories`]);

  it('have the files of a module, named for one and for many', () => {
    for (const file of [
      'reading-lists/reading-list.entity.ts',
      'stories/story.entity.ts',
      'stories/stories.service.ts',
    ]) {
      expect(existsSync(join(copy, 'src/modules', file))).toBe(true);
    }
    const made = Object.entries(sources()).filter(([path]) => /reading.list|(?<![a-z])stor(y|ies)/.test(path));
    expect(made).toHaveLength(26);
    for (const file of made) expect(file.join(' ')).not.toMatch(/[Ff]ield.?[Nn]ote|FIELD_NOTE|TIMESTAMP/);
  });

  it('cannot be made twice', async () => {
    await expectRefusal(['reading-lists'], /already src\/modules\/reading-lists/);
  });

  it('have right types', () => expectToPass(run(bin('typescript-7/bin/tsc'))), TOOLS_WITHIN_MS);

  it(
    'pass lint, and keep the import law',
    async () => {
      const touched = [...generated, 'migrations', 'src/app.module.ts', 'src/kernel/ids.ts', 'src/platform/config'];
      await expectToPass(run(bin('eslint/bin/eslint.js'), ...touched));
      await expectToPass(run(bin('prettier/bin/prettier.cjs'), '--check', ...touched));
      await expectToPass(run(bin('dependency-cruiser/bin/dependency-cruiser.mjs'), '-T', 'err', 'src', 'migrations'));
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
