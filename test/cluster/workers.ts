import pg from 'pg';
import { makeTenant, type Tenant } from '../support/actors.js';
import type { Service } from '../support/service.js';
import { nodes } from './nodes.mjs';

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
  whileDown<T>(worker: number, work: () => Promise<T>): Promise<T> {
    const ending = `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${this.database}'`;
    return this.withoutConnections(worker, async (server) => {
      await server.query(ending);
      return work();
    });
  }

  /**
   * Does the work while the processes of the database on a worker are stopped. To the other nodes, this is as if the
   * network dropped the packets of its connections.
   */
  whileHanging<T>(worker: number, work: () => Promise<T>): Promise<T> {
    return this.withoutConnections(worker, async (server) => {
      const { rows } = await server.query<{ pid: number }>('select pid from pg_stat_activity where datname = $1', [
        this.database,
      ]);
      const pids = rows.map(({ pid }) => pid).join(' ');
      await server.query(`copy (select where false) to program 'kill -STOP ${pids}'`);
      return work().finally(() => server.query(`copy (select where false) to program 'kill -CONT ${pids}'`));
    });
  }

  /** Does the work while a worker takes no new connections to the database. */
  private async withoutConnections<T>(worker: number, work: (server: pg.Client) => Promise<T>): Promise<T> {
    const server = new pg.Client({ connectionString: urls[worker], application_name: 'test' });
    await server.connect();
    const allow = (isAllowed: boolean) =>
      server.query(`alter database ${this.database} with allow_connections ${isAllowed}`);
    try {
      await allow(false);
      return await work(server);
    } finally {
      await allow(true);
      await server.end();
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
