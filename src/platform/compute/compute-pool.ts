import { availableParallelism } from 'node:os';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type ComputeTask, ComputeFailure, type ComputeOptions } from './compute-task.js';
import { ComputeThread, type Work } from './compute-thread.js';
import { computeErrors } from './compute.errors.js';
import { FairQueue } from '../../kernel/fair-queue.js';

const MAX_THREADS = Math.max(6, availableParallelism());

/**
 * A pool of warm compute threads. Work that exceeds its time is terminated with its thread, and another thread takes
 * its place when it has ended. A project has at most half of the threads that the others leave, so that a thread is
 * free for the next project.
 */
@Injectable()
export class ComputePool implements OnApplicationShutdown {
  private readonly threads = new Set<ComputeThread>();
  private readonly queue = new FairQueue<Work>();
  private requests = 0;
  private isStopped = false;

  /** Throws a ComputeFailure if the work exceeded a limit, or the reason of the signal. */
  async run<Ask, Answer>(task: ComputeTask<Ask, Answer>, ask: Ask, options: ComputeOptions): Promise<Answer> {
    const { projectId, budget, signal } = options;
    signal?.throwIfAborted();
    if (this.isStopped) throw new Error('The process is stopping');
    const ms = Math.min(options.ms, budget?.leftMs ?? Infinity);
    if (ms <= 0) throw new ComputeFailure('budget');
    if (this.queue.lengthOf(projectId) >= (options.mostWaiting ?? Infinity)) throw computeErrors.busy();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.requests += 1;
    const request = { id: this.requests, url: task.url, ask };
    const work: Work = { projectId, request, ms, budget, resolve, reject };
    const abandon = () => this.abandon(work, signal!.reason);
    signal?.addEventListener('abort', abandon, { once: true });
    this.queue.add(projectId, work);
    this.serve();
    return promise.finally(() => signal?.removeEventListener('abort', abandon)) as Promise<Answer>;
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    for (const { reject } of this.queue.clear()) reject(new Error('The process is stopping'));
    await Promise.all([...this.threads].map((thread) => thread.end()));
  }

  /** Removes abandoned work from the queue, or terminates it with its thread. */
  private abandon(work: Work, reason: unknown): void {
    this.queue.remove(work.projectId, work);
    work.reject(reason);
    [...this.threads].find(({ current }) => current === work)?.stop(reason);
  }

  private serve(): void {
    if (this.isStopped) return;
    for (const thread of this.threads) {
      if (!thread.isFree) continue;
      const work = this.queue.next(this.mayHaveOneMore);
      if (!work) return;
      thread.begin(work);
    }
    const isStarting = [...this.threads].some(({ wasReady }) => !wasReady);
    if (isStarting || this.threads.size >= MAX_THREADS || !this.queue.hasNext(this.mayHaveOneMore)) return;
    this.start();
  }

  private readonly mayHaveOneMore = (projectId: string): boolean => {
    let own = 0;
    let others = 0;
    for (const thread of this.threads) {
      if (thread.projectId === projectId) own += 1;
      else if (thread.projectId !== null) others += 1;
    }
    return own === 0 || own < Math.floor((MAX_THREADS - others) / 2);
  };

  private start(): void {
    const serve = () => this.serve();
    const thread = new ComputeThread(serve, (ended) => {
      if (!this.threads.delete(ended)) return;
      // The fault that kept this thread from starting would stop the next one too, so one waiting caller receives it.
      if (!ended.wasReady) this.queue.next(() => true)?.reject(ended.fault ?? new Error('A compute thread ended'));
      serve();
    });
    this.threads.add(thread);
  }
}
