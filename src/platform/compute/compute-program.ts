import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { Program } from './compute-task.js';

/**
 * A thread that computes for strangers, one thing at a time, with the program that it is told. Whoever started it ends it
 * when a program does not end. Nothing of the process is in it but the code: no settings, no connections.
 */

export interface ComputeRequest {
  id: number;
  url: string;
  ask: unknown;
}

/** `cpuMs` is what the thread has computed since it began. */
export type ComputeMessage = { cpuMs: number } & (
  | { is: 'ready' }
  /** A program that the thread had not yet was loaded: the time counts from here. */
  | { is: 'begun'; id: number }
  | { is: 'answer'; id: number; answer: unknown; isSpoiled: boolean }
  | { is: 'error'; id: number; error: string }
);

/** Those who wait for answers of the process go before those who wait for computing. Elsewhere it would be of the process. */
const NICE = 5;
if (process.platform === 'linux') setPriority(NICE);

const programs = new Map<string, Program<unknown, unknown>>();

parentPort!.on('message', (request: ComputeRequest) => void serve(request));
tell({ is: 'ready' });

async function serve({ id, url, ask }: ComputeRequest): Promise<void> {
  try {
    const program = programs.get(url) ?? (await load(url, id));
    let isSpoiled = false;
    const answer = await program(ask, { spoil: () => (isSpoiled = true) });
    tell({ is: 'answer', id, answer, isSpoiled });
  } catch (error) {
    tell({ is: 'error', id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

async function load(url: string, id: number): Promise<Program<unknown, unknown>> {
  const { default: program } = (await import(url)) as { default: Program<unknown, unknown> };
  programs.set(url, program);
  tell({ is: 'begun', id });
  return program;
}

type Told<Message> = Message extends unknown ? Omit<Message, 'cpuMs'> : never;

function tell(message: Told<ComputeMessage>): void {
  const { user, system } = process.threadCpuUsage();
  parentPort!.postMessage({ ...message, cpuMs: (user + system) / 1_000 });
}
