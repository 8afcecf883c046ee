import { Administration } from './administration.mjs';

/** @import { Environment } from './environment.mjs' */

/**
 * A tenant with an agent on the mock and a subscription, to which the benchmark sends messages.
 * @typedef {object} Channel
 * @property {string} projectId
 * @property {string} key
 * @property {string} subscriptionId
 */

/** @typedef {(n: number) => Promise<{ id: string, sent: number }>} Sender */

const MESSAGE = '/api/v1/channels/http-async/message';

/** The session keys of all messages have one length. */
const KEY_DIGITS = 22;

/**
 * @param {Environment} environment
 * @param {string} serviceUrl
 * @param {string} receiverUrl
 * @returns {Promise<Channel>}
 */
export async function openChannel(environment, serviceUrl, receiverUrl) {
  const administration = new Administration(serviceUrl, environment.adminKey);
  const appId = await administration.makeApp();
  const projectId = await administration.projectOf(appId);
  await administration.makeScope(appId, 'benchmark', ['HTTP_ASYNC_SEND']);
  const { apikey: key } = await administration.makeKey(appId, 'benchmark', 'load');
  await administration.activateAgent(appId);
  return { projectId, key, subscriptionId: await administration.subscribe(projectId, `${receiverUrl}/slipway`) };
}

/**
 * @param {string} url
 * @param {Channel} channel
 * @returns {Sender}
 */
export function senderToService(url, { projectId, key, subscriptionId }) {
  const of = { project_id: projectId, subscription_id: subscriptionId };
  return (n) => {
    const body = { ...of, message: messageOf(n), session_key: `bench-${String(n).padStart(KEY_DIGITS, '0')}` };
    return send(url + MESSAGE, { 'x-api-key': key }, body);
  };
}

/**
 * @param {string} url
 * @returns {Sender}
 */
export function senderToFloor(url) {
  return (n) => send(url, {}, { message: messageOf(n) });
}

/**
 * Sends each message with the next of the senders.
 * @param {Sender[]} senders
 * @returns {Sender}
 */
export function inTurns(senders) {
  return (n) => /** @type {Sender} */ (senders[n % senders.length])(n);
}

/** @param {number} n */
function messageOf(n) {
  return `Where is parcel ${n}?`;
}

/**
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {object} body
 */
async function send(url, headers, body) {
  const sent = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  const { message_id: id } = /** @type {{ message_id: string }} */ (await response.json());
  return { id, sent };
}
