import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Log } from '../telemetry/log.js';
import { defineGauge } from '../telemetry/metric-definition.js';
import { Metrics } from '../telemetry/metrics.js';
import { raw } from './sql.js';
import { exists, rows } from './statement.js';
import { Statements } from './statements.js';

interface CitusWorker {
  /** Its host and port, as the coordinator knows them. */
  address: string;
  /** Its number among the nodes of the cluster. */
  groupId: number;
  isUp: boolean;
}

const workerUp = defineGauge('slipway_citus_worker_up', {
  help: 'Whether the coordinator of a Citus cluster reaches this worker: 1 or 0. The metric is missing without Citus.',
  labels: ['worker'],
});

const hasCitus = exists(raw("select from pg_extension where extname = 'citus'"));

/**
 * The coordinator connects to all workers at once, and waits for them for a second. The command is made from the time
 * limit, so that the limit is set before.
 */
const workersOfCluster = rows<CitusWorker>(
  raw(`
    select nodename || ':' || nodeport as address, node.groupid as "groupId", asked.success as "isUp"
    from (select set_config('citus.node_connection_timeout', '1000', true) as ms) as limited,
         lateral run_command_on_workers(case when ms is not null then 'select 1' end) as asked
         join pg_dist_node node using (nodename, nodeport)
    order by 1`),
);

/** The workers of a Citus cluster, each of which has the ledger of some projects. Any other database has none. */
@Injectable()
export class CitusWorkers implements OnModuleInit {
  /** How long an answer is kept, because balancers ask every second. Tests shorten it. */
  keepMs = 10_000;
  /** Whether the database has Citus, which is asked once. */
  isCluster = false;
  private known: Promise<readonly CitusWorker[]> | undefined;
  private askedAt = 0;
  private away = '';

  constructor(
    private readonly statements: Statements,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  async onModuleInit(): Promise<void> {
    this.isCluster = await this.statements.ask(hasCitus);
    this.metrics.read(workerUp, async () =>
      (await this.all()).map(({ address, isUp }) => [{ worker: address }, Number(isUp)] as const),
    );
  }

  async all(): Promise<readonly CitusWorker[]> {
    if (!this.isCluster) return [];
    if (this.known && performance.now() - this.askedAt < this.keepMs) return this.known;
    this.askedAt = performance.now();
    const asked = this.ask();
    this.known = asked;
    asked.catch(() => {
      if (this.known === asked) this.known = undefined;
    });
    return asked;
  }

  private async ask(): Promise<readonly CitusWorker[]> {
    const workers = await this.statements.ask(workersOfCluster);
    this.note(workers.filter(({ isUp }) => !isUp).map(({ address }) => address));
    return workers;
  }

  /** Logs each change of the workers that are away. */
  private note(away: readonly string[]): void {
    const before = this.away;
    this.away = away.join(', ');
    if (this.away === before) return;
    if (away.length === 0) this.log.info({ workers: before }, 'All workers of the Citus cluster answer again');
    else
      this.log.error(
        { workers: this.away },
        'Workers of the Citus cluster do not answer, so what needs the ledger of their projects is answered 503. Start them, or check their network',
      );
  }
}
