import { connect } from 'node:net';

/**
 * Generates the load in a process of its own. Each connection sends its next request when the last one is answered. It
 * uses bare sockets, because it shares the machine with the service that it measures.
 * @typedef {object} Order
 * @property {string} url
 * @property {string} key
 * @property {string} [body] with it, the request is a POST of JSON
 * @property {number} connections
 * @property {number} [milliseconds] without it, the load ends when it is told to stop
 * @property {number} [pauseMs] the time between an answer and the next request of its connection
 *
 * @typedef {object} Result
 * @property {number} perSecond
 * @property {number[]} waits the milliseconds until each answer
 * @property {number} refused answers other than 200; the other figures leave them out
 */

/** Ends a load that has no time of its own. */
let stop = () => {};

process.on('message', (/** @type {Order | 'stop'} */ order) => {
  if (order === 'stop') stop();
  else void run(order).then((result) => process.send?.(result));
});
process.once('disconnect', () => process.exit());
process.send?.({ type: 'ready', url: '' });

/**
 * @param {Order} order
 * @returns {Promise<Result>}
 */
async function run({ url, key, body, connections, milliseconds, pauseMs }) {
  const { hostname, port, pathname, search } = new URL(url);
  const [method, end] =
    body === undefined
      ? ['GET', '\r\n']
      : ['POST', `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`];
  const request = Buffer.from(
    `${method} ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nx-api-key: ${key}\r\n${end}`,
  );
  /** @type {number[]} */
  const latencies = [];
  let refused = 0;
  let isOver = false;
  let begun = 0;

  const sockets = await Promise.all(Array.from({ length: connections }, () => open(hostname, Number(port))));
  const ended = sockets.map((socket) => {
    let sent = 0;
    let received = Buffer.alloc(0);
    const ask = () => {
      sent = performance.now();
      socket.write(request);
    };
    socket.on('data', (chunk) => {
      received = received.length > 0 ? Buffer.concat([received, chunk]) : chunk;
      const answer = wholeAnswer(received);
      if (!answer) return;
      received = Buffer.alloc(0);
      if (isOver) return void socket.destroy();
      if (answer.status === '200') latencies.push(performance.now() - sent);
      else refused += 1;
      if (pauseMs === undefined) ask();
      else setTimeout(ask, pauseMs);
    });
    begun = performance.now();
    ask();
    return new Promise((resolve, reject) => socket.once('close', resolve).once('error', reject));
  });

  await /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      if (milliseconds === undefined) stop = resolve;
      else setTimeout(resolve, milliseconds);
    })
  );
  isOver = true;
  const seconds = (performance.now() - begun) / 1000;
  // A program would go on with requests that are left, beside the program that is measured next.
  await Promise.all(ended);
  return {
    perSecond: latencies.length / seconds,
    waits: latencies,
    refused,
  };
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Promise<import('node:net').Socket>}
 */
function open(host, port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket.off('error', reject)));
    socket.once('error', reject);
  });
}

/**
 * Returns the answer once its last byte is there. Both programs send its length.
 * @param {Buffer} bytes
 */
function wholeAnswer(bytes) {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
  return bytes.length >= headEnd + 4 + length ? { status: head.slice(9, 12) } : undefined;
}
