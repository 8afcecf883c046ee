import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { Program } from './compute-task.js';

/**
 * The code of a compute thread. It runs one request at a time with the program that the request names, and the pool
 * terminates it when a program does not end. The thread shares nothing with the process but the code: no settings and
 * no connections.
 */

export interface ComputeRequest {
  id: number;
  url: string;
  ask: unknown;
}

/** `cpuMs` is the processor time that the thread has used since it began. */
export type ComputeMessage = { cpuMs: number } & (
  | { is: 'ready' }
  /** A program that the thread did not have yet is loaded. Its time limit counts from here. */
  | { is: 'begun'; id: number }
  | { is: 'answer'; id: number; answer: unknown; isSpoiled: boolean }
  | { is: 'error'; id: number; error: string }
);

/**
 * Requests to the process take precedence over computing. Only on Linux does the priority apply to the thread;
 * elsewhere it would apply to the whole process.
 */
const NICE = 5;
if (process.platform === 'linux') setPriority(NICE);

const programs = new Map<string, Program<unknown, unknown>>();

parentPort!.on('message', (request: ComputeRequest) => void serve(request));
send({ is: 'ready' });

async function serve({ id, url, ask }: ComputeRequest): Promise<void> {
  try {
    const program = programs.get(url) ?? (await load(url, id));
    let isSpoiled = false;
    const answer = await program(ask, { spoil: () => (isSpoiled = true) });
    send({ is: 'answer', id, answer, isSpoiled });
  } catch (error) {
    send({ is: 'error', id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

async function load(url: string, id: number): Promise<Program<unknown, unknown>> {
  const { default: program } = (await import(url)) as { default: Program<unknown, unknown> };
  programs.set(url, program);
  send({ is: 'begun', id });
  return program;
}

type Sent<Message> = Message extends unknown ? Omit<Message, 'cpuMs'> : never;

function send(message: Sent<ComputeMessage>): void {
  const { user, system } = process.threadCpuUsage();
  parentPort!.postMessage({ ...message, cpuMs: (user + system) / 1_000 });
}
