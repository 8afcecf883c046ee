import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Copies an example into a folder of its own, as a repository that depends on the built service, and compiles it.
 * Returns the path of its configuration.
 */
export function buildExample(name: string): string {
  const folder = mkdtempSync(join(process.env.TEST_FOLDER!, `${name}-`));
  cpSync(join(project, 'examples', name), folder, { recursive: true });
  const packages = join(folder, 'node_modules');
  mkdirSync(packages);
  // The plugin and the service share one Nest and one MikroORM, as they do after an installation.
  for (const entry of readdirSync(join(project, 'node_modules')))
    symlinkSync(join(project, 'node_modules', entry), join(packages, entry));
  symlinkSync(project, join(packages, 'slipway'));
  execFileSync(process.execPath, [join(packages, 'typescript-7/bin/tsc'), '-p', folder], { stdio: 'inherit' });
  return join(folder, 'dist', 'slipway.config.js');
}
