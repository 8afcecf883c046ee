import { rmSync } from 'node:fs';
import { servers } from './servers.mjs';

/** Runs after all test files. It deletes the folders instead of dropping the databases one by one. */
export default async function tearDown() {
  await Promise.all([servers.postgres?.stop(), servers.redis?.stop()]);
  for (const folder of [servers.folder, servers.databases]) {
    if (folder) rmSync(folder, { recursive: true, force: true });
  }
}
