import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { inProject } from '../../scripts/project.mjs';

const COMMAND = inProject('scripts', 'distribute.mjs');
const env = () => ({ ...process.env, DATABASE_URL: '' });

/** Runs `npm run distribute` with these arguments, and returns its exit code and all that it printed. */
export function distribute(...args: string[]): { status: number | null; output: string } {
  const options = { encoding: 'utf8', env: env() } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], options);
  return { status, output: stdout + stderr };
}

/** Starts the command, and does not wait for its end. */
export function beginToDistribute(...args: string[]): ChildProcess {
  return spawn(process.execPath, [COMMAND, ...args], { env: env(), stdio: 'ignore' });
}
