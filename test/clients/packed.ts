import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Folder {
  path: string;
  /** Runs a script with Node, in an environment that has nothing else, and returns what it prints. */
  node(script: string, env: Record<string, string>): Promise<string>;
  /** Runs lines of a shell in the same way. */
  shell(lines: string, env: Record<string, string>): Promise<string>;
}

/** Makes a folder that has nothing but the packed client and what npm installs with it. */
export async function folderWithClient(): Promise<Folder> {
  const path = mkdtempSync(join(process.env.TEST_FOLDER!, 'packed-'));
  const packages = ['clients/typescript', 'node_modules/openapi-fetch', 'node_modules/openapi-typescript-helpers'];
  const folders = packages.map((name) => join(root, name));
  const { stdout } = await npm(path, 'pack', '--json', '--ignore-scripts', ...folders);
  const packed = (JSON.parse(stdout) as { filename: string }[]).map(({ filename }) => `./${filename}`);
  writeFileSync(join(path, 'package.json'), '{"private":true,"type":"module"}');
  // The registry is not asked, so the dependencies come from archives as well.
  await npm(path, 'install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', ...packed);
  const start = async (command: string, args: string[], env: Record<string, string>) => {
    const { PATH } = process.env;
    return (await run(command, args, { cwd: path, env: { PATH, HOME: path, ...env } })).stdout;
  };
  return {
    path,
    node(script, env) {
      writeFileSync(join(path, 'script.ts'), script);
      return start(process.execPath, ['script.ts'], env);
    },
    shell: (lines, env) => start('bash', ['-euo', 'pipefail', '-c', lines], env),
  };
}

function npm(cwd: string, ...args: string[]) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  return run('npm', args, { cwd, env });
}
