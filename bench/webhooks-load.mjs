/**
 * @import { BenchReceiver } from './webhooks-receiver.mjs'
 * @import { Sender } from './webhooks-channel.mjs'
 */

let messagesSent = 0;

/** Returns the number of the next message. No two messages of a run have the same. */
export function nextNumber() {
  return (messagesSent += 1);
}

/**
 * Sends so many messages and waits until each has been called back.
 * @param {BenchReceiver} receiver
 * @param {Sender} send
 * @param {number} messages
 * @param {number} clients
 */
export async function loadMessages(receiver, send, messages, clients) {
  /** @type {{ id: string, sent: number }[]} */
  const accepted = [];
  let left = messages;
  const begun = performance.now();
  const client = async () => {
    while (left > 0) {
      left -= 1;
      const one = await send(nextNumber());
      accepted.push(one);
      // In a calm round, a message is sent when the callback of the last one has come.
      if (clients === 1) await receiver.until(() => receiver.arrivalOf(one.id) !== undefined);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  await receiver.until(() => accepted.every(({ id }) => receiver.arrivalOf(id) !== undefined));
  const seconds = (performance.now() - begun) / 1000;
  return {
    perSecond: messages / seconds,
    waits: accepted.map(({ id, sent }) => (receiver.arrivalOf(id) ?? NaN) - sent),
  };
}
