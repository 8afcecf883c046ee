// This program runs a fixed number of callers, each of which calls again when it has its answer. It reports how long
// they waited for the first byte and for the last.
import { Agent, request } from 'node:http';

/**
 * @typedef {object} Order
 * @property {string} url
 * @property {string} key
 * @property {string} model
 * @property {boolean} stream
 * @property {Record<string, string>} [headers] in addition to those of OpenAI
 * @property {number} callers
 * @property {number} milliseconds
 *
 * @typedef {object} Waits
 * @property {number[]} first in milliseconds
 * @property {number[]} last
 * @property {number} failed answers other than 200
 */

process.on('message', (/** @type {Order} */ order) => void run(order).then((waits) => process.send?.(waits)));
process.once('disconnect', () => process.exit());
process.send?.({ type: 'ready', url: '' });

/**
 * @param {Order} order
 * @returns {Promise<Waits>}
 */
async function run(order) {
  /** @type {Waits} */
  const waits = { first: [], last: [], failed: 0 };
  const agent = new Agent({ keepAlive: true, maxSockets: order.callers });
  const end = performance.now() + order.milliseconds;
  const call = async (/** @type {number} */ at) => {
    // The callers begin at different moments, as callers of a real service do.
    await new Promise((resolve) => setTimeout(resolve, (at * 400) / order.callers));
    while (performance.now() < end) await ask(order, agent, waits);
  };
  await Promise.all(Array.from({ length: order.callers }, (_, at) => call(at)));
  agent.destroy();
  return waits;
}

/**
 * @param {Order} order
 * @param {Agent} agent
 * @param {Waits} waits
 * @returns {Promise<void>}
 */
function ask({ url, key, model, stream, headers: more }, agent, waits) {
  const body = JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Where is my order?' }] });
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...more,
  };
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    let first = 0;
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      response.on('data', () => (first ||= performance.now() - begun));
      response.once('error', reject);
      response.once('end', () => {
        if (response.statusCode === 200) {
          waits.first.push(first);
          waits.last.push(performance.now() - begun);
        } else waits.failed += 1;
        resolve();
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
