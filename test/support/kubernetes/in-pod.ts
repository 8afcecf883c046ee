import { spawnSync } from 'node:child_process';

/** The second way is that of users who are not root. */
const UNSHARE = [['--mount'], ['--map-root-user', '--mount']].find(
  (flags) => spawnSync('unshare', [...flags, 'mount', '-t', 'tmpfs', 'tmpfs', '/var/run']).status === 0,
);

if (!UNSHARE)
  console.log('Skipped: this machine does not let this user mount folders for a process (unshare --mount).');

/** A token at the fixed place of pods needs a folder that only one process sees, which macOS and some containers lack. */
export const inPod = UNSHARE ? describe : describe.skip;

/** Returns a launcher whose program finds the folder where the pods of a cluster have their service account. */
export function withServiceAccount(folder: string): string[] {
  const place = '/var/run/secrets/kubernetes.io/serviceaccount';
  const mounts = `mount -t tmpfs tmpfs /var/run && mkdir -p ${place} && mount --bind ${folder} ${place}`;
  return ['unshare', ...UNSHARE!, 'sh', '-c', `${mounts} && exec "$@"`, 'sh'];
}
