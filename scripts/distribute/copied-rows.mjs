/** Asks each worker. A worker that is down leaves its rows out. */
const COUNT = `
  select coalesce(sum(result::bigint), 0)::float8 as rows
  from run_command_on_workers('select coalesce(sum(tuples_processed), 0) from pg_stat_progress_copy') where success`;

/** Counts the rows that the workers have received. */
export class CopiedRows {
  #client;
  /** The rows of the copies that have ended. PostgreSQL shows only those that run. */
  #ended = 0;
  #running = 0;

  /** @param {import('pg').Client} client a connection that does nothing else meanwhile */
  constructor(client) {
    this.#client = client;
  }

  async count() {
    const { rows } = await this.#client.query(COUNT);
    const running = /** @type {{ rows: number }[]} */ (rows)[0]?.rows ?? 0;
    if (running < this.#running) this.#ended += this.#running;
    this.#running = running;
    return this.#ended + running;
  }
}
