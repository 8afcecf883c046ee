import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Foreign addresses are tried only in a network of the test's own, in which no real host can be reached. It needs
 * Linux and the permission to make one.
 */
const UNSHARE = [
  ['--net', '--mount'],
  ['--map-root-user', '--net', '--mount'],
].find((flags) => spawnSync('unshare', [...flags, 'ip', 'link', 'set', 'lo', 'up']).status === 0);

if (!UNSHARE) console.log('Skipped: this machine lets nobody make network namespaces (unshare --net), or has no ip.');

export const inNamespace = UNSHARE ? describe : describe.skip;

/** Runs a Node program in a network of its own and parses the JSON that it prints. */
export async function reportFromNamespace<Report>(...nodeArgs: string[]): Promise<Report> {
  const { stdout } = await run('unshare', [...UNSHARE!, process.execPath, ...nodeArgs], { maxBuffer: 64 * 2 ** 20 });
  return JSON.parse(stdout) as Report;
}
