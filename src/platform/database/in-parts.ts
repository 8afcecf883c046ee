import { currentRequest } from '../context/request-context.js';

/**
 * Sends the parts of a large write in the open transaction, and returns their answers. The next part is computed while
 * PostgreSQL works on the one before it, and others are served in between.
 */
export async function sendInParts<Part, Answer>(
  parts: readonly Part[],
  send: (part: Part) => Promise<Answer>,
): Promise<Answer[]> {
  const sent: Promise<Answer>[] = [];
  try {
    for (const part of parts) {
      await currentRequest()?.giveWay();
      await sent.at(-2);
      const answer = send(part);
      // A failure is thrown below, after PostgreSQL has also refused what was sent behind it.
      answer.catch(() => undefined);
      sent.push(answer);
    }
  } finally {
    await Promise.allSettled(sent);
  }
  return Promise.all(sent);
}
