import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Sends a signal to a server of the test's own, which is found by its data folder. */
export function signalRedis(dataDir: string, signal: NodeJS.Signals): void {
  signalServer(join(dataDir, 'redis', 'redis.pid'), signal);
}

export function signalPostgres(dataDir: string, signal: NodeJS.Signals): void {
  signalServer(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), signal);
}

/** The first line of the file is the process's number. */
function signalServer(pidFile: string, signal: NodeJS.Signals): void {
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  if (!(pid > 1)) throw new Error(`${pidFile} names no process`);
  process.kill(pid, signal);
}
