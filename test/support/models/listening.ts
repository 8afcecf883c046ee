import { readdir, readFile, readlink } from 'node:fs/promises';

const LISTENS = '0A';

/** Returns the id of the process that listens on a local address. It reads /proc, so it needs no tool. */
export async function processListeningAt(address: string): Promise<number> {
  const { port } = new URL(address);
  const wanted = `:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const inode = lines.find(([, local, , state]) => local?.endsWith(wanted) && state === LISTENS)?.[9];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const targets = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
    if (targets.includes(`socket:[${inode}]`)) return Number(pid);
  }
  throw new Error(`Nobody listens at ${address}`);
}
