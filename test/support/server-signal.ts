import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Sends a signal to a server of the test's own, which is found by its data folder. */
export function signalRedis(dataDir: string, signal: NodeJS.Signals): void {
  signalServer(join(dataDir, 'redis', 'redis.pid'), signal);
}

/** PostgreSQL has a process for each connection. `andChildren` sends the signal to them too. */
export function signalPostgres(dataDir: string, signal: NodeJS.Signals, { andChildren = false } = {}): void {
  const pidFile = join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
  signalServer(pidFile, signal);
  if (andChildren) for (const child of childrenOf(pidIn(pidFile))) signalIfAlive(child, signal);
}

/** A connection may end after its process was listed. */
function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function signalServer(pidFile: string, signal: NodeJS.Signals): void {
  process.kill(pidIn(pidFile), signal);
}

/** The first line of the file is the process's number. */
function pidIn(pidFile: string): number {
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  if (!(pid > 1)) throw new Error(`${pidFile} names no process`);
  return pid;
}

function childrenOf(pid: number): number[] {
  const list = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  return list.trim().split('\n').map(Number);
}
