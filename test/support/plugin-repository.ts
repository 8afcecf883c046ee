import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));

type Dependencies = Record<string, string>;

interface Manifest {
  dependencies?: Dependencies;
  devDependencies?: Dependencies;
  optionalDependencies?: Dependencies;
  peerDependencies?: Dependencies;
}

/** The sources of a commit, and the function that packs the service of it. */
export interface Release {
  sources: string;
  pack: () => Promise<string>;
}

const PRESENT: Release = { sources: project, pack: packPresent };

/** A repository of its own, whose only copy of Slipway is the packed one. */
export class PluginRepository {
  private constructor(readonly folder: string) {}

  /** Copies an example into an empty folder, and installs the packed service and its dependencies there. */
  static async ofExample(name: string, release: Release = PRESENT): Promise<PluginRepository> {
    const folder = mkdtempSync(join(process.env.TEST_FOLDER!, `${name}-`));
    cpSync(join(release.sources, 'examples', name), folder, { recursive: true });
    const packages = join(folder, 'node_modules');
    mkdirSync(packages);
    for (const installed of packagesFor(name)) {
      mkdirSync(join(packages, installed, '..'), { recursive: true });
      symlinkSync(join(project, 'node_modules', installed), join(packages, installed));
    }
    mkdirSync(join(packages, '.bin'));
    symlinkSync(join(packages, 'typescript', 'bin', 'tsc'), join(packages, '.bin', 'tsc'));
    const repository = new PluginRepository(folder);
    await repository.install({ release });
    return repository;
  }

  /** Puts the packed service in place of the installed one, with another version if one is given. */
  async install({ version, release = PRESENT }: { version?: string; release?: Release } = {}): Promise<void> {
    const slipway = this.path('node_modules', 'slipway');
    rmSync(slipway, { recursive: true, force: true });
    mkdirSync(slipway);
    await execute('tar', ['-xzf', await release.pack(), '-C', slipway, '--strip-components=1']);
    if (version) this.edit('node_modules/slipway/package.json', /"version": "[^"]+"/, `"version": "${version}"`);
  }

  /** Replaces a text that has to be in the file. */
  edit(file: string, before: RegExp, after: string): void {
    const text = readFileSync(this.path(file), 'utf8');
    if (!before.test(text)) throw new Error(`${file} has no ${String(before)}`);
    writeFileSync(this.path(file), text.replace(before, after));
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  /** Compiles it as its script does, with the faster compiler of this project. */
  async compile(): Promise<void> {
    await execute(process.execPath, [join(project, 'node_modules', 'typescript-7', 'bin', 'tsc'), '-p', this.folder]);
  }

  /** Runs a script of its package.json with these settings and nothing else of this environment. */
  async run(script: string, settings: Record<string, string> = {}, args: string[] = []): Promise<void> {
    const options = { cwd: this.folder, env: { ...programs(), ...settings } };
    await execute('npm', ['run', '--silent', script, '--', ...args], options).catch(
      (error: Error & { stdout: string }) => {
        throw new Error(`${error.message}\n${error.stdout.slice(-5_000)}`, { cause: error });
      },
    );
  }
}

/** The packages that an installation of Slipway and of the example's own dependencies would have. */
function packagesFor(example: string): Set<string> {
  const { packages } = readJson<{ packages: Record<string, Manifest> }>('package-lock.json');
  const { devDependencies } = readJson<Manifest>('examples', example, 'package.json');
  const found = new Set<string>();
  const add = (from: string, { dependencies, optionalDependencies, peerDependencies }: Manifest) => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const path = nearest(packages, from, name);
      if (path === undefined || found.has(path)) continue;
      found.add(path);
      add(path, packages[path]!);
    }
  };
  add('', { dependencies: { ...packages['']!.dependencies, ...devDependencies } });
  const top = [...found].filter((path) => path.lastIndexOf('node_modules/') === 0);
  return new Set(top.map((path) => path.slice('node_modules/'.length)));
}

/** The package that Node finds from this place, or undefined if it is not installed, as some optional ones are not. */
function nearest(packages: Record<string, Manifest>, from: string, name: string): string | undefined {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))) {
    const path = `${place}${place && '/'}node_modules/${name}`;
    if (path in packages && existsSync(join(project, path))) return path;
    if (place === '') return undefined;
  }
}

function readJson<Content>(...names: string[]): Content {
  return JSON.parse(readFileSync(join(project, ...names), 'utf8')) as Content;
}

/** Builds and packs an earlier commit of this project, with the packages that are installed now. */
export async function releaseOf(commit: string): Promise<Release> {
  const sources = mkdtempSync(join(process.env.TEST_FOLDER!, `${commit}-`));
  const archive = `${sources}.tar`;
  await execute('git', ['archive', '--format=tar', `--output=${archive}`, commit], { cwd: project }).catch(() => {
    throw new Error(`This clone has no commit ${commit}. Fetch its whole history: git fetch --unshallow`);
  });
  await execute('tar', ['-xf', archive, '-C', sources]);
  symlinkSync(join(project, 'node_modules'), join(sources, 'node_modules'));
  await execute('npm', ['run', '--silent', 'build:service'], { cwd: sources, env: programs() });
  const file = await pack(sources);
  return { sources, pack: () => Promise.resolve(file) };
}

/**
 * Packs the service as it is built, once for all test files. Returns the path of the packed file, which gets its name
 * when it is complete.
 */
async function packPresent(): Promise<string> {
  const file = join(process.env.TEST_FOLDER!, 'slipway.tgz');
  if (!existsSync(file)) renameSync(await pack(project), file);
  return file;
}

async function pack(sources: string): Promise<string> {
  const folder = mkdtempSync(join(process.env.TEST_FOLDER!, 'packed-'));
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await execute('npm', args, { cwd: sources, env: programs() });
  return join(folder, stdout.trim());
}

function programs() {
  const { PATH, HOME, TEST_FOLDER } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE: join(TEST_FOLDER!, 'compile-cache') };
}
