import { MikroORM } from '@mikro-orm/postgresql';
import type { Service } from './service.js';

/** How often the service takes a connection to its database while the work is done. */
export async function countQueries(service: Service, work: () => Promise<void>): Promise<number> {
  const orm = service.app.get(MikroORM);
  const pool = await orm.em.getDriver().getConnection().getNativeClient();
  let taken = 0;
  const count = () => (taken += 1);
  pool.on('acquire', count);
  try {
    await work();
  } finally {
    pool.off('acquire', count);
  }
  return taken;
}
