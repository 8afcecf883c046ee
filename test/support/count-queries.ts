import { ConnectionPool } from '../../src/platform/database/connection-pool.js';
import type { Service } from './service.js';

/** Counts the packets that the service sends to its database during the work. */
export async function countQueries(service: Service, work: () => Promise<void>): Promise<number> {
  const { watchers } = service.app.get(ConnectionPool);
  let sent = 0;
  const count = () => (sent += 1);
  watchers.add(count);
  try {
    await work();
  } finally {
    watchers.delete(count);
  }
  return sent;
}
