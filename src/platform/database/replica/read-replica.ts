import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Actor } from '../../../kernel/actor.js';
import { withinTime } from '../../../kernel/time-limit.js';
import { Settings } from '../../config/settings.js';
import { Log } from '../../telemetry/log.js';
import { defineCounter, defineGauge } from '../../telemetry/metric-definition.js';
import { Metrics } from '../../telemetry/metrics.js';
import type { Connection } from '../connection.js';
import type { ConnectionPool } from '../connection-pool.js';
import { isOutage, PoolIsFull } from '../database.errors.js';
import { REPLICA_WITHIN_MS, replicaPool } from '../orm-options.js';
import type { Statement } from '../statement.js';
import { askOn } from '../statements.js';
import { OwnWrites } from './own-writes.js';
import { replicaAt, secondsBehind } from './positions.statements.js';
import { PrimaryPosition } from './primary-position.js';
import { later, type WalPosition } from './wal-position.js';

/** While the replica does not answer, one read tries it again after each pause of this length. */
const PAUSE_MS = 5_000;

/** Why the primary answers a read although there is a replica. */
type Reason = 'behind' | 'own write' | 'away' | 'busy' | 'in the way' | 'other server';

const REASONS: Record<Reason, string> = {
  behind:
    'The replica in DATABASE_READ_URL is further behind than READ_LAG_SECONDS, so the primary answers: see in pg_stat_replication of the primary whether it still follows',
  'own write': 'The caller reads its own write',
  away: 'The replica in DATABASE_READ_URL does not answer, so the primary does: start it again, or remove the setting',
  busy: 'The project uses its share of the connections to the replica, so the primary answers',
  'in the way': 'A read on the replica was cancelled, because it was in the way of replication',
  'other server':
    'DATABASE_READ_URL does not lead to a replica of DATABASE_URL, so the primary answers: name its replica, or remove the setting',
};

/** The reasons that say nothing about the next read. */
const FOR_THIS_READ: ReadonlySet<Reason> = new Set(['own write', 'busy', 'in the way']);

const reads = defineCounter('slipway_replica_reads_total', {
  help: 'Reads that a replica may answer, by outcome: answered by it, or the reason why the primary answered.',
  labels: ['outcome'],
});
const lag = defineGauge('slipway_replica_lag_seconds', {
  help: 'Seconds that the replica in DATABASE_READ_URL is behind the primary; NaN while it does not answer.',
});

/** Says that the replica cannot answer this read, and the primary has to. */
class AskPrimary extends Error {
  constructor(readonly reason: Reason) {
    super(REASONS[reason]);
  }
}

/** The code says that the connection is of no use any more, because its answer is still to come. */
class NoAnswer extends AskPrimary {
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('away');
  }
}

/** The position that a replica has to have replayed. */
interface Wanted {
  position: WalPosition;
  cluster: string;
  /** Whether the caller's own write decides the position. */
  isOwn: boolean;
}

/**
 * The replica in DATABASE_READ_URL. It answers a read if it has replayed what the primary had written READ_LAG_SECONDS
 * ago, and what the caller has written. The replica is asked for its position on the connection of the read, so that no
 * clock and no poll is involved.
 */
@Injectable()
export class ReadReplica implements OnApplicationShutdown {
  private readonly pool: ConnectionPool | undefined;
  private restsUntil = 0;
  private trouble: Reason | undefined;

  constructor(
    private readonly primary: PrimaryPosition,
    private readonly ownWrites: OwnWrites,
    private readonly log: Log,
    settings: Settings,
    private readonly metrics: Metrics,
  ) {
    this.pool = replicaPool(settings);
    for (const outcome of ['answered', ...Object.keys(REASONS)]) metrics.count(reads, 0, { outcome });
    metrics.read(lag, () => (this.pool ? this.lagSeconds(this.pool).catch(() => NaN) : []));
  }

  /** Runs the read on the replica if it may answer, and otherwise on the primary. */
  async orPrimary<T>(
    actor: Actor | undefined,
    read: (pool: ConnectionPool, check: (connection: Connection) => Promise<void>) => Promise<T>,
    onPrimary: () => Promise<T>,
  ): Promise<T> {
    if (!this.pool) return onPrimary();
    const wanted = await this.wanted(actor);
    if (typeof wanted === 'string') return this.ask(onPrimary, wanted);
    // Another read may have found the replica away meanwhile, or may be trying it after a pause.
    if (this.isResting) return this.ask(onPrimary, 'away');
    if (this.trouble === 'away') this.rest();
    try {
      const answer = await read(this.pool, (connection) => this.check(connection, wanted));
      this.note(undefined);
      return answer;
    } catch (error) {
      const reason = reasonOf(error);
      if (!reason) throw error;
      return this.ask(onPrimary, reason);
    }
  }

  private ask<T>(onPrimary: () => Promise<T>, reason: Reason): Promise<T> {
    this.note(reason);
    return onPrimary();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool?.end();
  }

  /** Fails while the primary does not answer, as the read would. */
  private async wanted(actor: Actor | undefined): Promise<Wanted | Reason> {
    if (this.isResting) return 'away';
    const [{ position, cluster }, own] = await Promise.all([this.primary.earliest(), this.ownWrites.of(actor)]);
    if (own === undefined) return 'own write';
    const latest = own === null ? position : later(position, own);
    return { position: latest, cluster, isOwn: latest !== position };
  }

  private async lagSeconds(pool: ConnectionPool): Promise<number> {
    const { position } = await this.primary.now();
    const connection = await pool.connect();
    let isSpoiled = true;
    try {
      const seconds = await askSoon(connection, secondsBehind(position));
      isSpoiled = false;
      return seconds;
    } finally {
      connection.release(isSpoiled);
    }
  }

  private async check(connection: Connection, wanted: Wanted): Promise<void> {
    const { isReplica, isFresh, cluster } = await askSoon(connection, replicaAt(wanted.position));
    if (!isReplica || cluster !== wanted.cluster) throw new AskPrimary('other server');
    if (!isFresh) throw new AskPrimary(wanted.isOwn ? 'own write' : 'behind');
  }

  /** Counts the read, and logs when the replica begins and ceases to be of use. */
  private note(reason: Reason | undefined): void {
    this.metrics.count(reads, 1, { outcome: reason ?? 'answered' });
    if (reason && FOR_THIS_READ.has(reason)) return;
    if (reason !== 'away') this.restsUntil = 0;
    else if (!this.isResting) this.rest();
    if (reason === this.trouble) return;
    this.trouble = reason;
    if (reason) this.log.warn(REASONS[reason]);
    else this.log.info('The replica in DATABASE_READ_URL answers reads again');
  }

  private get isResting(): boolean {
    return performance.now() < this.restsUntil;
  }

  private rest(): void {
    this.restsUntil = performance.now() + PAUSE_MS;
  }
}

function askSoon<Answer>(connection: Connection, statement: Statement<Answer>): Promise<Answer> {
  return withinTime(REPLICA_WITHIN_MS, askOn(connection, statement), () => new NoAnswer());
}

/**
 * PostgreSQL cancels a read on a replica (40001) that needs rows which the primary has removed. It refuses a connection
 * with a wrong password (28P01, 28000) or to a database that it does not have (3D000).
 */
function reasonOf(error: unknown): Reason | undefined {
  if (error instanceof AskPrimary) return error.reason;
  if (error instanceof PoolIsFull) return 'busy';
  const { code = '' } = error as { code?: string };
  if (code === '40001') return 'in the way';
  return /^(28...|3D000)$/.test(code) || isOutage(error) ? 'away' : undefined;
}
