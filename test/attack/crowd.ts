import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Answer, answerOf, type RequestOptions } from '../support/client.js';
import type { Tenant } from '../support/actors.js';

export interface CrowdRequest extends Pick<RequestOptions, 'headers'> {
  method?: string;
  path: string;
  body?: Uint8Array<ArrayBuffer>;
}

interface ThreadAnswer {
  status: number;
  headers: [string, string][];
  text: string;
}

/** Many clients that send their requests at once with the key of one tenant. */
export class Crowd {
  private readonly thread: Worker;
  private readonly sent: Promise<(ThreadAnswer | null)[]>;

  constructor(
    target: { url: string },
    { key }: Tenant,
    private readonly requests: readonly CrowdRequest[],
  ) {
    const workerData = requests.map(({ method = 'GET', path, headers, body }) => ({
      method,
      url: target.url + path,
      headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body,
    }));
    this.thread = new Worker(new URL('./crowd-thread.mjs', import.meta.url), { workerData });
    this.sent = once(this.thread, 'message').then(([answers]) => answers as (ThreadAnswer | null)[]);
  }

  /** Lets the clients leave that have no answer yet. */
  leave(): void {
    this.thread.postMessage('leave');
  }

  /** Returns the answers of the clients that stayed. */
  async answers(): Promise<Answer[]> {
    const sent = await this.sent;
    return sent.flatMap((answer, at) => {
      if (!answer) return [];
      const { method = 'GET', path } = this.requests[at]!;
      return [answerOf({ verb: method, path }, answer.status, new Headers(answer.headers), answer.text)];
    });
  }
}
