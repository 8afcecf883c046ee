// Requests /health/live all the time. It runs in a thread of its own, so that it sees a gap even if the test is busy.
import { parentPort, workerData } from 'node:worker_threads';
import { Agent, request } from 'node:http';

const PAUSE_MS = 20;
/** @type {unknown} */
const given = workerData;
const { url } = /** @type {{ url: string }} */ (given);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const seen = { asked: 0, failed: 0, longestMs: 0, lastFailure: '' };
let answeredAt = performance.now();

parentPort?.on('message', (message) => {
  // A request without an answer counts with the time that it has taken so far.
  const longestMs = Math.round(Math.max(seen.longestMs, performance.now() - answeredAt));
  parentPort?.postMessage({ ...seen, longestMs });
  Object.assign(seen, { asked: 0, failed: 0, longestMs: 0, lastFailure: '' });
  answeredAt = performance.now();
  if (message === 'end') process.exit();
});

for (;;) {
  const failure = await ask();
  seen.asked += 1;
  if (failure) {
    seen.failed += 1;
    seen.lastFailure = failure;
  } else {
    seen.longestMs = Math.max(seen.longestMs, performance.now() - answeredAt);
    answeredAt = performance.now();
  }
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

/**
 * Returns the reason if the answer is not 200, and otherwise an empty text.
 * @returns {Promise<string>}
 */
function ask() {
  return new Promise((resolve) => {
    const asked = request(`${url}/health/live`, { agent }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode === 200 ? '' : String(answer.statusCode)));
      answer.once('error', (error) => resolve(error.message));
    });
    asked.once('error', (error) => resolve(error.message));
    asked.end();
  });
}
