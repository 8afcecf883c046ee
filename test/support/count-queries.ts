import { ConnectionPool } from '../../src/platform/database/connection-pool.js';
import type { Service } from './service.js';

/** How many packets the service sends to its database while the work is done. */
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
