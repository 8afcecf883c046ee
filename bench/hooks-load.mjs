import { connect } from 'node:net';

/**
 * Generates the load in a process of its own. Each connection sends the events of one conversation after another, and
 * the next event when the last one is answered. It uses bare sockets, because it shares the machine with the service
 * that it measures.
 * @typedef {object} Order
 * @property {string} url
 * @property {string} botId
 * @property {string} token
 * @property {string} name the beginning of the conversations' ids
 * @property {number} connections
 * @property {number} milliseconds
 *
 * @typedef {object} Result
 * @property {number} perSecond
 * @property {number[]} waits the milliseconds until each answer
 * @property {number} refused
 */

process.on('message', (/** @type {Order} */ order) => void run(order).then((result) => process.send?.(result)));
process.once('disconnect', () => process.exit());
process.send?.({ type: 'ready', url: '' });

const MESSAGES = 10;

/** @param {string} transition */
const transfer = (transition) => ({
  events: [
    {
      name: 'INTERNAL_TRANSFER_EVENT',
      transfertype: 'NA',
      transition,
      isExtAD: 'false',
      experience: 'chat',
      participant: { identity: 'agent-17', name: 'Ada', type: 'agent' },
    },
  ],
});

const SCRIPT = [
  transfer('entry'),
  ...Array.from({ length: MESSAGES }, (_, turn) => ({
    query: `Message ${turn} of a conversation about a parcel that has not arrived and a lamp that is blue`,
    agentId: 'agent-17',
    experience: 'chat',
    author: { type: turn % 2 ? 'AGENT' : 'USER' },
    source: 'benchmark',
    sendUserMessage: true,
    sendAgentMessage: true,
    language: 'en',
  })),
  transfer('exit'),
  {
    events: [
      {
        name: 'END_OF_CONVERSATION',
        reason: 'agent_initiated',
        language: 'en',
        experience: 'chat',
        participant: { identity: 'agent-17', name: 'Ada', type: 'agent' },
      },
    ],
  },
];

/**
 * @param {Order} order
 * @returns {Promise<Result>}
 */
async function run({ url, botId, token, name, connections, milliseconds }) {
  const { hostname, port } = new URL(url);
  const head = `POST /agentassist/api/v1/hooks/${botId} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ntoken: ${token}\r\ncontent-type: application/json\r\n`;
  /** @type {number[]} */
  const latencies = [];
  let refused = 0;
  let isOver = false;
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(hostname, Number(port))));
  const begun = performance.now();
  const ended = sockets.map((socket, number) => {
    let sent = 0;
    let step = 0;
    let received = '';
    const sendNext = () => {
      const conversationId = `${name}-${number}-${Math.floor(step / SCRIPT.length)}`;
      const body = JSON.stringify({ conversationId, botId, ...SCRIPT[step % SCRIPT.length] });
      step += 1;
      sent = performance.now();
      socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    };
    socket.setEncoding('latin1');
    socket.on('data', (/** @type {string} */ chunk) => {
      received += chunk;
      const end = received.indexOf('\r\n\r\n');
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1]);
      if (end < 0 || received.length < end + 4 + length) return;
      const isGood = received.startsWith('HTTP/1.1 200');
      received = '';
      if (isOver) return;
      if (isGood) latencies.push(performance.now() - sent);
      else refused += 1;
      sendNext();
    });
    sendNext();
    return new Promise((resolve, reject) => socket.once('close', resolve).once('error', reject));
  });
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  isOver = true;
  const seconds = (performance.now() - begun) / 1000;
  for (const socket of sockets) socket.destroy();
  await Promise.all(ended);
  return { perSecond: latencies.length / seconds, waits: latencies, refused };
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
