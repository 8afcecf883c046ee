import { ConnectionPool } from '../../src/platform/database/connection-pool.js';
import type { Service } from './service.js';

/** The statements that the service sends to its database, and the number of packets that carry them. */
export interface Sent {
  statements: string[];
  packets: number;
}

/** Returns the smallest of several measurements, because the service also sends statements of its own meanwhile. */
export async function leastSent(service: Service, times: number, work: () => Promise<unknown>): Promise<Sent> {
  const all: Sent[] = [];
  for (let time = 0; time < times; time += 1) all.push(await sentDuring(service, work));
  return all.sort((a, b) => a.statements.length - b.statements.length || a.packets - b.packets)[0]!;
}

async function sentDuring(service: Service, work: () => Promise<unknown>): Promise<Sent> {
  const { watchers } = service.app.get(ConnectionPool);
  const sent: Sent = { statements: [], packets: 0 };
  const watch = (texts: readonly string[]) => {
    sent.statements.push(...texts);
    sent.packets += 1;
  };
  watchers.add(watch);
  await work().finally(() => watchers.delete(watch));
  return sent;
}
