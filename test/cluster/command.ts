import { spawnSync } from 'node:child_process';
import { inProject } from '../../scripts/project.mjs';

/** Runs `npm run distribute` with these arguments, and returns its exit code and all that it printed. */
export function distribute(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [inProject('scripts', 'distribute.mjs'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, DATABASE_URL: '' },
  });
  return { status, output: stdout + stderr };
}
