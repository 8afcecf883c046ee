import { makeTenant, type Tenant } from '../support/actors.js';
import type { Service } from '../support/service.js';
import { ask, nodes } from './nodes.mjs';

const [, ...urls] = await nodes();

/** The workers of the cluster, as the database of one test file knows them. */
export class Workers {
  private readonly database: string;

  constructor(private readonly service: Service) {
    this.database = new URL(service.databaseUrl).pathname.slice(1);
  }

  addressOf(worker: number): string {
    return new URL(urls[worker]!).host;
  }

  /** Makes tenants until there is one whose calls are on this worker. */
  async makeTenantOn(worker: number): Promise<Tenant> {
    for (;;) {
      const tenant = await makeTenant(this.service);
      if ((await this.placeOf(tenant)) === worker) return tenant;
    }
  }

  /** Does the work while a worker takes no connections to the database, which to the other nodes is as if it were down. */
  async whileDown<T>(worker: number, work: () => Promise<T>): Promise<T> {
    const url = urls[worker]!;
    const ending = `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${this.database}'`;
    await ask(url, `alter database ${this.database} with allow_connections false`, ending);
    try {
      return await work();
    } finally {
      await ask(url, `alter database ${this.database} with allow_connections true`);
    }
  }

  private async placeOf({ projectId }: Tenant): Promise<number> {
    const [place] = await this.service.database.rows<{ port: string }>(
      `select nodeport::text as port from pg_dist_node join pg_dist_placement using (groupid)
       where shardid = get_shard_id_for_distribution_column('ledger_row', $1::text)`,
      [projectId],
    );
    return urls.findIndex((url) => new URL(url).port === place!.port);
  }
}
