import { rmSync } from 'node:fs';
import { servers } from './servers.mjs';

/** After all test files. Databases are not dropped one by one: the folder goes. */
export default async function tearDown() {
  await Promise.all([servers.postgres?.stop(), servers.redis?.stop()]);
  if (servers.folder) rmSync(servers.folder, { recursive: true, force: true });
}
