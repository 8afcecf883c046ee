import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { RequestOptions } from '../support/client.js';
import type { Tenant } from '../support/actors.js';

export interface CrowdRequest extends Pick<RequestOptions, 'headers'> {
  method?: string;
  path: string;
  body?: Uint8Array<ArrayBuffer>;
}

/** Many clients that send their requests at once with the key of one tenant. */
export class Crowd {
  private readonly thread: Worker;
  private readonly sent: Promise<(string | null)[]>;

  constructor(target: { url: string }, { key }: Tenant, requests: readonly CrowdRequest[]) {
    const workerData = requests.map(({ method = 'GET', path, headers, body }) => ({
      method,
      url: target.url + path,
      headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body,
    }));
    this.thread = new Worker(new URL('./crowd-thread.mjs', import.meta.url), { workerData });
    this.sent = once(this.thread, 'message').then(([outcomes]) => outcomes as (string | null)[]);
  }

  /** Lets the clients leave that have no answer yet. */
  leave(): void {
    this.thread.postMessage('leave');
  }

  /** Returns the status and the error code of the answers to the clients that stayed. */
  async outcomes(): Promise<string[]> {
    const sent = await this.sent;
    return sent.filter((outcome) => outcome !== null);
  }
}
