// Sends requests at once. It runs in a thread of its own, so that its work does not delay the requests of a neighbour.
import { parentPort, workerData } from 'node:worker_threads';

/** @typedef {{ method: string, url: string, headers: Record<string, string>, body?: Uint8Array<ArrayBuffer> }} Sent */

/** @type {unknown} */
const given = workerData;
const requests = /** @type {Sent[]} */ (given);
const abort = new AbortController();
parentPort?.once('message', () => abort.abort());

const answers = await Promise.all(requests.map(send));
parentPort?.postMessage(answers);
process.exit();

/**
 * Returns null if the sender left before the answer.
 * @param {Sent} sent
 */
async function send({ url, ...init }) {
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: abort.signal });
    return { status: response.status, headers: [...response.headers], text: await response.text() };
  } catch (error) {
    if (abort.signal.aborted) return null;
    throw error;
  }
}
