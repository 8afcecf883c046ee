import pg from 'pg';

/** A transaction of the test that keeps its locks until the test ends it. */
export interface OpenTransaction {
  readonly rows: unknown[];
  /** Does nothing if the transaction has ended. */
  commit(): Promise<void>;
}

/** A service's database, with which a test reads rows behind the answers and takes locks that block the service. */
export class TestDatabase {
  private readonly pool: pg.Pool;
  private readonly held = new Set<pg.PoolClient>();

  constructor(readonly url: string) {
    this.pool = new pg.Pool({ connectionString: url, application_name: 'test', idleTimeoutMillis: 1_000 });
    this.pool.on('error', () => undefined);
  }

  async rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(text, values)).rows;
  }

  /** Returns the names of all tables. A partition is part of its table. */
  async tables(): Promise<string[]> {
    const rows = await this.rows<{ name: string }>(
      `select relname as name from pg_class
       where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace order by relname`,
    );
    return rows.map(({ name }) => name);
  }

  async openTransaction(text: string, values: unknown[] = []): Promise<OpenTransaction> {
    const client = await this.pool.connect();
    this.held.add(client);
    await client.query('begin');
    const { rows } = await client.query<object>(text, values);
    return {
      rows,
      commit: async () => {
        if (!this.held.delete(client)) return;
        await client.query('commit');
        client.release();
      },
    };
  }

  /** Returns the statements of the service that wait for a lock. */
  async waiting(): Promise<string[]> {
    const rows = await this.rows<{ query: string }>(
      `select query from pg_stat_activity
       where datname = current_database() and application_name like 'slipway%'
         and state = 'active' and wait_event_type = 'Lock'`,
    );
    return rows.map(({ query }) => query);
  }

  /** Returns the content of every table as text. */
  async dump(): Promise<string> {
    const tables = await this.rows<{ name: string }>(
      `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables order by 1`,
    );
    const contents = tables.map(({ name }) => this.rows<{ line: string }>(`select t::text as line from ${name} t`));
    return (await Promise.all(contents))
      .flat()
      .map(({ line }) => line)
      .join('\n');
  }

  /** Ends the connections with that application name, such as those on which the service listens for revocations. */
  async cut(applicationName: string): Promise<number> {
    const rows = await this.rows<{ ended: boolean }>(
      `select pg_terminate_backend(pid) as ended from pg_stat_activity
       where datname = current_database() and application_name = $1`,
      [applicationName],
    );
    return rows.length;
  }

  end(): Promise<void> {
    // These transactions belong to tests that failed before they ended them.
    for (const client of this.held) client.release(true);
    return this.pool.end();
  }
}
