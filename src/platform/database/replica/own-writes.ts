import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { type Actor, actorId } from '../../../kernel/actor.js';
import { Settings } from '../../config/settings.js';
import { Log } from '../../telemetry/log.js';
import { PrimaryPosition } from './primary-position.js';
import type { WalPosition } from './wal-position.js';
import { REDIS, type RedisClient } from '../../redis/redis-client.js';

/** A position is needed until every read asks for a later one. The rest is for slow answers of the database. */
const KEPT_BEYOND_LAG_SECONDS = 15;
/** A stream of a process that has died counts as open for this long. */
const STREAM_SECONDS = 600;

/**
 * Remembers in Redis, for all processes, where each caller's last write ended, so that a caller reads its own writes.
 * Without DATABASE_READ_URL there is nothing to remember.
 */
@Injectable()
export class OwnWrites {
  private readonly isNeeded: boolean;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly primary: PrimaryPosition,
    private readonly settings: Settings,
    private readonly log: Log,
  ) {
    this.isNeeded = settings.DATABASE_READ_URL !== undefined;
  }

  /** Has to end before the answer to the write is sent. */
  async note(actor: Actor | undefined): Promise<void> {
    if (!this.isNeeded || !actor) return;
    try {
      const { position } = await this.primary.now();
      await this.redis.set(
        this.name('wrote', actor),
        position,
        'EX',
        Math.ceil(this.settings.READ_LAG_SECONDS) + KEPT_BEYOND_LAG_SECONDS,
      );
    } catch (error) {
      this.log.warn({ err: error }, 'The end of a write was not noted, so its caller may read what was there before');
    }
  }

  /** Notes that the caller writes until the response is closed. */
  async noteUntilClosed(actor: Actor | undefined, response: Response): Promise<void> {
    if (!this.isNeeded || !actor) return;
    const name = this.name('writing', actor);
    const begun = this.redis.multi().incr(name).expire(name, STREAM_SECONDS).exec();
    response.once('close', () => {
      void begun
        .then(() => this.note(actor))
        .then(
          () => this.redis.decr(name),
          () => undefined,
        );
    });
    await begun.catch(() => undefined);
  }

  /**
   * Returns the position that a read of this caller may not be behind, or null if there is none. Returns undefined if
   * that is not known, because the caller writes at this moment, or Redis does not answer.
   */
  async of(actor: Actor | undefined): Promise<WalPosition | null | undefined> {
    if (!actor) return null;
    try {
      const [wrote, writing] = await this.redis.mget(this.name('wrote', actor), this.name('writing', actor));
      return Number(writing ?? 0) > 0 ? undefined : (wrote ?? null);
    } catch {
      return undefined;
    }
  }

  private name(what: 'wrote' | 'writing', actor: Actor): string {
    // Both names of an actor are read at once, so a cluster has to keep them at one node: braces say that.
    return `${this.settings.REDIS_PREFIX}:{${actorId(actor)}}:${what}`;
  }
}
