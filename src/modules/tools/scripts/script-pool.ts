import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { clock } from '../../../kernel/clock.js';
import { FairLine } from './fair-line.js';
import type { ScriptAnswer, ScriptFault, ScriptRequest } from './script-worker.js';

/** Beside this file, in the language of this file. */
const PROGRAM = new URL(`./script-worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

const MEMORY_BYTES = 64 * 1024 * 1024;
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** Past its time a script is asked to end; past this, it is ended with its thread. */
const GRACE_MS = 250;
const CHECK_MS = 2_000;
const MAX_THREADS = 4;

/** A script that came to nothing, and why, for people. */
export class ScriptFailure extends Error {
  constructor(
    readonly fault: ScriptFault,
    message: string,
  ) {
    super(message);
    this.name = 'ScriptFailure';
  }
}

interface Waiting {
  projectId: string;
  request: ScriptRequest;
  resolve: (output: string | undefined) => void;
  reject: (error: unknown) => void;
}

interface Thread {
  worker: Worker;
  isReady: boolean;
  doing: Waiting | null;
  deadline: NodeJS.Timeout | null;
}

export interface ScriptWish {
  /** Whose it is: projects take turns. */
  projectId: string;
  code: string;
  scope: unknown;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Threads that run scripts, kept warm. One that a script holds or breaks is ended, and another takes its place. */
@Injectable()
export class ScriptPool implements OnApplicationShutdown {
  private readonly threads = new Set<Thread>();
  private readonly line = new FairLine<Waiting>();
  private requests = 0;
  private isStopped = false;

  /** What the script returns, as JSON; nothing where it returns nothing. Throws a ScriptFailure. */
  run({ projectId, code, scope, timeoutMs, signal }: ScriptWish): Promise<string | undefined> {
    return this.ask(projectId, { code, scope: JSON.stringify(scope), timeoutMs, isCheck: false }, signal);
  }

  /** What keeps the code from being a script, for people; nothing where it is one. */
  async faultOf(projectId: string, code: string): Promise<string | undefined> {
    try {
      await this.ask(projectId, { code, scope: '{}', timeoutMs: CHECK_MS, isCheck: true });
      return undefined;
    } catch (error) {
      if (error instanceof ScriptFailure) return error.message;
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    for (const { reject } of this.line.clear()) reject(new Error('The process stops'));
    await Promise.all([...this.threads].map((thread) => this.end(thread)));
  }

  private ask(
    projectId: string,
    wish: Omit<ScriptRequest, 'id' | 'now'>,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    signal?.throwIfAborted();
    if (this.isStopped) return Promise.reject(new Error('The process stops'));
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
    this.requests += 1;
    const request = { ...wish, id: this.requests, now: clock.now().getTime() };
    const waiting = { projectId, request, resolve, reject };
    const giveUp = () => this.giveUp(waiting, signal!.reason);
    signal?.addEventListener('abort', giveUp, { once: true });
    this.line.add(projectId, waiting);
    this.serve();
    return promise.finally(() => signal?.removeEventListener('abort', giveUp));
  }

  /** Nobody waits for it any more: it leaves the line, or is ended with its thread. */
  private giveUp(waiting: Waiting, reason: unknown): void {
    this.line.remove(waiting.projectId, waiting);
    waiting.reject(reason);
    const thread = [...this.threads].find(({ doing }) => doing === waiting);
    if (!thread) return;
    this.settle(thread, () => undefined);
    void this.end(thread).then(() => this.serve());
  }

  private serve(): void {
    const free = [...this.threads].filter(({ isReady, doing }) => isReady && doing === null);
    for (const thread of free) {
      const next = this.line.next();
      if (!next) return;
      this.begin(thread, next);
    }
    const starting = [...this.threads].filter(({ isReady }) => !isReady).length;
    if (this.line.length > starting && this.threads.size < MAX_THREADS) this.start();
  }

  private begin(thread: Thread, waiting: Waiting): void {
    thread.doing = waiting;
    thread.worker.ref();
    const late = waiting.request.timeoutMs + GRACE_MS;
    thread.deadline = setTimeout(() => {
      this.settle(thread, (doing) => doing.reject(new ScriptFailure('timeout', 'It took longer than it may')));
      void this.end(thread).then(() => this.serve());
    }, late);
    thread.worker.postMessage(waiting.request);
  }

  private start(): void {
    const worker = new Worker(PROGRAM, {
      workerData: { memoryBytes: MEMORY_BYTES, maxOutputBytes: MAX_OUTPUT_BYTES },
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 },
      env: {},
      stdout: true,
      stderr: true,
    });
    const thread: Thread = { worker, isReady: false, doing: null, deadline: null };
    this.threads.add(thread);
    worker.on('message', (message: 'ready' | ScriptAnswer) => this.hear(thread, message));
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      this.threads.delete(thread);
      this.settle(thread, (doing) => doing.reject(new ScriptFailure('memory', 'It took more memory than it may')));
      if (!this.isStopped) this.serve();
    });
    // Threads that nobody needs do not keep the process alive.
    worker.unref();
  }

  private hear(thread: Thread, message: 'ready' | ScriptAnswer): void {
    if (message === 'ready') thread.isReady = true;
    else {
      this.settle(thread, ({ resolve, reject }) => {
        if ('output' in message) resolve(message.output);
        else reject(new ScriptFailure(message.fault, message.message));
      });
      if ('isSpoiled' in message && message.isSpoiled) void this.end(thread);
    }
    this.serve();
  }

  private settle(thread: Thread, tell: (doing: Waiting) => void): void {
    const { doing, deadline } = thread;
    if (deadline) clearTimeout(deadline);
    thread.deadline = null;
    thread.doing = null;
    if (doing) tell(doing);
    thread.worker.unref();
  }

  private async end(thread: Thread): Promise<void> {
    this.threads.delete(thread);
    await thread.worker.terminate();
  }
}
