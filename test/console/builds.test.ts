import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inProject } from '../../scripts/project.mjs';

/** A checkout in which each build only writes its name into a file of its own. */
const checkout = mkdtempSync(join(process.env.TEST_FOLDER!, 'builds-'));
const SOURCE = { service: join(checkout, 'src', 'main.ts'), console: join(checkout, 'console', 'src', 'main.tsx') };
const builds = (name: string) => `mkdir -p dist/${name} && echo ${name} >> built.txt`;

beforeAll(() => {
  cpSync(inProject('scripts'), join(checkout, 'scripts'), { recursive: true });
  for (const source of Object.values(SOURCE)) {
    mkdirSync(join(source, '..'), { recursive: true });
    writeFileSync(source, '');
  }
  writeFileSync(join(checkout, 'tsconfig.build.json'), JSON.stringify({ include: ['src'] }));
  const scripts = {
    build: `${builds('service')} && ${builds('console')}`,
    'build:service': builds('service'),
    'build:console': builds('console'),
  };
  writeFileSync(join(checkout, 'package.json'), JSON.stringify({ type: 'module', scripts }));
});

/** Builds as a start does, and returns what was built by it. */
async function built(withConsole: boolean): Promise<string[]> {
  const note = join(checkout, 'built.txt');
  writeFileSync(note, '');
  const code = `import('./scripts/setup.mjs').then((setup) => setup.ensureBuilt(() => {}, { withConsole: ${withConsole} }))`;
  await promisify(execFile)(process.execPath, ['--eval', code], { cwd: checkout });
  return readFileSync(note, 'utf8').split('\n').slice(0, -1);
}

const isConsoleThere = () => existsSync(join(checkout, 'dist', 'console'));

it('leaves the console out while it is off, and builds it for the first start with it', async () => {
  expect(await built(false)).toEqual(['service']);
  expect(await built(false)).toEqual([]);
  expect(await built(true)).toEqual(['console']);
  expect(await built(true)).toEqual([]);
});

it('builds again what has changed', async () => {
  appendFileSync(SOURCE.console, '// Changed.');
  expect(await built(false)).toEqual([]);
  expect(await built(true)).toEqual(['console']);
  appendFileSync(SOURCE.service, '// Changed.');
  expect(await built(false)).toEqual(['service']);
  // Its files might belong to another release than the service.
  expect(isConsoleThere()).toBe(false);
  appendFileSync(SOURCE.service, '// Changed again.');
  expect(await built(true)).toEqual(['service', 'console']);
});
