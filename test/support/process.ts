import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_OPTIONS } from '../../scripts/launcher/node-options.mjs';
import type { Target } from './service.js';
import type { SettingsOfTest } from './settings.js';

export const MAIN = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url));
const START_WITHIN_MS = 60_000;

/** The built service as a process of its own. */
export interface ServiceProcess extends Target {
  readonly pid: number;
  /** Returns its standard output and standard error so far. */
  output(): string;
  /** Sends SIGSTOP: the process keeps its connections and does nothing. */
  freeze(): void;
  thaw(): void;
  /** Ends the process at once, in the middle of its work. */
  kill(): Promise<HowItEnded>;
  stop(): Promise<HowItEnded>;
}

interface HowItEnded {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * Starts the service, or another program that adds work to it, and waits until it is ready. `launcher` is a command that
 * goes on as the command that follows it.
 */
export async function startProcess(
  settings: SettingsOfTest,
  main = MAIN,
  launcher: readonly string[] = [],
): Promise<ServiceProcess> {
  const [command, ...args] = [...launcher, process.execPath, ...NODE_OPTIONS, main];
  const child = spawn(command, args, {
    env: environmentFor(settings),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const exited = once(child, 'exit');
  const url = await Promise.race([
    readyMessage(child),
    exited.then(([code]) => Promise.reject(new Error(`The service ended with ${String(code)}: ${output}`))),
    late(() => new Error(`The service did not start in ${START_WITHIN_MS} ms: ${output}`)),
  ]);

  const end = async (signal: NodeJS.Signals) => {
    child.kill('SIGCONT');
    child.kill(signal);
    const [code, by] = (await exited) as [number | null, NodeJS.Signals | null];
    return { code, signal: by };
  };
  return {
    url,
    adminKey: settings.SLIPWAY_ADMIN_KEY!,
    databaseUrl: settings.DATABASE_URL!,
    pid: child.pid!,
    output: () => output,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

/** A process gets nothing else of this environment, so that its settings alone decide what it does. */
export function environmentFor(settings: SettingsOfTest): SettingsOfTest {
  return { NODE_COMPILE_CACHE: join(process.env.TEST_FOLDER!, 'compile-cache'), ...settings };
}

function readyMessage(child: NodeJS.EventEmitter): Promise<string> {
  return new Promise((resolve) => {
    child.on('message', ({ type, url }: { type: string; url: string }) => {
      if (type === 'ready') resolve(url);
    });
  });
}

function late(reason: () => Error): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(reason()), START_WITHIN_MS).unref();
  });
}
