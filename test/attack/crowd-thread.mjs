// Sends requests at once. It runs in a thread of its own, so that its work does not delay the requests of a neighbour.
import { parentPort, workerData } from 'node:worker_threads';

/** @typedef {{ method: string, url: string, headers: Record<string, string>, body?: Uint8Array<ArrayBuffer> }} Sent */

/** @type {unknown} */
const given = workerData;
const requests = /** @type {Sent[]} */ (given);
const abort = new AbortController();
parentPort?.once('message', () => abort.abort());

const outcomes = await Promise.all(requests.map(send));
parentPort?.postMessage(outcomes);
process.exit();

/**
 * Returns null if the sender left before the answer. The content of a good answer is read and not kept, because
 * hundreds of megabytes would occupy the thread of the test, and the neighbour would seem to wait.
 * @param {Sent} sent
 */
async function send({ url, ...init }) {
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: abort.signal });
    if (response.ok) {
      await response.body?.pipeTo(new WritableStream());
      return String(response.status);
    }
    const { error } = /** @type {{ error: { code: string } }} */ (await response.json());
    return `${response.status} ${error.code}`;
  } catch (error) {
    if (abort.signal.aborted) return null;
    throw error;
  }
}
