import { rmSync } from 'node:fs';
import { servers } from './servers.mjs';

/** After all test files. Databases are not dropped one by one: the folders go. */
export default async function tearDown() {
  await Promise.all([servers.postgres?.stop(), servers.redis?.stop()]);
  for (const folder of [servers.folder, servers.databases]) {
    if (folder) rmSync(folder, { recursive: true, force: true });
  }
}
