import { setTimeout as wait } from 'node:timers/promises';
import { Client } from '../support/client.js';
import type { TestDatabase } from '../support/test-database.js';
import { type Accepted, bodyFor, type Channel, MESSAGE } from './channel.js';

const SESSIONS = 6;

export interface Load {
  /** The session's number of each message, in the order in which they were acknowledged. */
  accepted: Map<string, number>;
  /** The requests that were refused or broken, as the outcome or the error. */
  failures: string[];
  end(): Promise<void>;
}

interface LoadOptions {
  /** The address of the service at the moment. */
  target: () => { url: string };
  /** No more messages are sent after so many. The receiver must be able to accept them in the time of the test. */
  mostMessages: number;
  /** The pause after each message. */
  pauseMs?: number;
}

/** Sends messages in several sessions. A session sends its next message when the last one was acknowledged or failed. */
export function beginLoad(channel: Channel, { target, mostMessages, pauseMs = 0 }: LoadOptions): Load {
  const accepted = new Map<string, number>();
  const failures: string[] = [];
  let isOver = false;
  const ended = Array.from({ length: SESSIONS }, async (_, session) => {
    while (!isOver) {
      if (accepted.size >= mostMessages) {
        await wait(50);
        continue;
      }
      const body = bodyFor(channel, { session_key: `session ${session}`, metadata: { session } });
      const answer = await Client.withKey(target(), channel.tenant.key)
        .post<Accepted>(MESSAGE, body)
        .catch((error: Error) => ({ status: 0, outcome: error.message, body: undefined }));
      if (answer.body && answer.status === 202) accepted.set(answer.body.message_id, session);
      else failures.push(answer.outcome);
      await wait(answer.status === 202 ? pauseMs : 50);
    }
  });
  return {
    accepted,
    failures,
    end: async () => {
      isOver = true;
      await Promise.all(ended);
    },
  };
}

/** Counts the messages and deliveries that have not ended. */
export async function pending(database: TestDatabase, subscriptionId: string): Promise<number> {
  const [{ count } = { count: -1 }] = await database.rows<{ count: number }>(
    `select ((select count(*) from webhook_message where subscription_id = $1 and finished_at is null)
      + (select count(*) from webhook_delivery where subscription_id = $1 and status = 'PENDING'))::int as count`,
    [subscriptionId],
  );
  return count;
}

/** Makes sure that the messages of each session were answered in the order in which they were acknowledged. */
export async function expectTurnsInOrder(
  database: TestDatabase,
  subscriptionId: string,
  accepted: Load['accepted'],
): Promise<void> {
  const turns = await database.rows<{ id: string; key: string; at: Date }>(
    `select m.id, m.session_key as key, m.finished_at as at from webhook_message m
     join run on run.id = m.run_id where m.subscription_id = $1 order by m.session_key, run.number`,
    [subscriptionId],
  );
  for (const ofSession of Map.groupBy(turns, ({ key }) => key).values()) {
    const times = ofSession.map(({ at }) => at.getTime());
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  }
  const inOrder = turns.map(({ id }) => id).filter((id) => accepted.has(id));
  for (let session = 0; session < SESSIONS; session += 1) {
    const sent = [...accepted].flatMap(([id, of]) => (of === session ? [id] : []));
    expect(inOrder.filter((id) => accepted.get(id) === session)).toEqual(sent);
  }
}
