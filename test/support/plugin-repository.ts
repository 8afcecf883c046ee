import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));

/** A repository of its own, whose only copy of Slipway is the packed one. */
export class PluginRepository {
  private constructor(readonly folder: string) {}

  /** Copies an example into an empty folder, and installs the packed service and its dependencies there. */
  static async ofExample(name: string): Promise<PluginRepository> {
    const folder = mkdtempSync(join(process.env.TEST_FOLDER!, `${name}-`));
    cpSync(join(project, 'examples', name), folder, { recursive: true });
    const packages = join(folder, 'node_modules');
    mkdirSync(join(packages, 'slipway'), { recursive: true });
    for (const entry of readdirSync(join(project, 'node_modules')))
      symlinkSync(join(project, 'node_modules', entry), join(packages, entry));
    await execute('tar', ['-xzf', await pack(folder), '-C', join(packages, 'slipway'), '--strip-components=1']);
    return new PluginRepository(folder);
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  /** Compiles it as its script does, with the faster compiler of this project. */
  async compile(): Promise<void> {
    await execute(process.execPath, [this.path('node_modules', 'typescript-7', 'bin', 'tsc'), '-p', this.folder]);
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

/** Packs the service as it is built. Returns the path of the packed file. */
async function pack(folder: string): Promise<string> {
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await execute('npm', args, { cwd: project, env: programs() });
  return join(folder, stdout.trim());
}

function programs() {
  const { PATH, HOME, TEST_FOLDER } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE: join(TEST_FOLDER!, 'compile-cache') };
}
