import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { inProject } from '../../scripts/project.mjs';

const OLDEST = 18;

/** The embedded PostgreSQL has no pg_dump, and one of an older release refuses to dump it. */
function canDump(): boolean {
  const [, major] = /(\d+)/.exec(spawnSync('pg_dump', ['--version'], { encoding: 'utf8' }).stdout ?? '') ?? [];
  const can = Number(major) >= OLDEST;
  if (!can) console.log(`Skipped: this machine has no pg_dump of PostgreSQL ${OLDEST} or later on its PATH.`);
  return can;
}

/**
 * A test that makes a backup. It cannot run without `pg_dump`, and neither the embedded PostgreSQL nor each distribution has
 * one of this release.
 */
export const itWithDump = canDump() ? it : it.skip;

/** Returns the first two blocks of commands below a heading of docs/operate.md: to back up, and to restore. */
export function commandsBelow(heading: string): string[] {
  const [, chapter = ''] = readFileSync(inProject('docs', 'operate.md'), 'utf8').split(`${heading}\n`);
  return [...chapter.matchAll(/```sh\n([^]*?)```/g)].slice(0, 2).map(([, lines]) => lines!);
}

export function runCommands(lines: string, cwd: string, variables: Record<string, string>): void {
  execFileSync('sh', ['-ec', lines], { cwd, env: { PATH: process.env.PATH, ...variables } });
}
