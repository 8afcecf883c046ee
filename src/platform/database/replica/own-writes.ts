import { randomUUID } from 'node:crypto';
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
const STREAM_SECONDS = 60;
const RENEWAL_MS = (STREAM_SECONDS / 3) * 1_000;

/** Keeps the later position, because two writes of a caller may be noted in either order. */
const KEEP_LATER = `
  local noted = redis.call('get', KEYS[1])
  if not noted or noted < ARGV[1] then redis.call('set', KEYS[1], ARGV[1], 'ex', ARGV[2]) end`;

/**
 * Remembers in Redis, for all processes, where each caller's last write ended, so that a caller reads its own writes.
 * Without DATABASE_READ_URL there is nothing to remember.
 */
@Injectable()
export class OwnWrites {
  private readonly isNeeded: boolean;
  /** The callers with a write that Redis did not take, each with the time from which every read sees it. */
  private readonly unnoted = new Map<string, number>();

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
      const seconds = Math.ceil(this.settings.READ_LAG_SECONDS) + KEPT_BEYOND_LAG_SECONDS;
      await this.redis.eval(KEEP_LATER, 1, this.name('wrote', actor), position, seconds);
    } catch (error) {
      this.keepUnnoted(actor);
      this.log.warn(
        { err: error },
        'The end of a write was not noted, so other processes may show its caller what was there before',
      );
    }
  }

  /** Notes that the caller writes until the response is closed. */
  async noteUntilClosed(actor: Actor | undefined, response: Response): Promise<void> {
    if (!this.isNeeded || !actor) return;
    const name = this.name('writing', actor);
    const stream = randomUUID();
    const add = async () => {
      await this.redis
        .multi()
        .sadd(name, stream)
        .expire(name, STREAM_SECONDS)
        .exec()
        .catch(() => this.keepUnnoted(actor));
    };
    const renewal = setInterval(() => void add(), RENEWAL_MS).unref();
    response.once('close', () => {
      clearInterval(renewal);
      // A stream that is not removed here is forgotten with the whole set.
      void this.note(actor)
        .then(() => this.redis.srem(name, stream))
        .catch(() => undefined);
    });
    await add();
  }

  /**
   * Returns the position that a read of this caller may not be behind, or null if there is none. Returns undefined if
   * that is not known, because the caller writes at this moment, or Redis does not answer or did not take a write.
   */
  async of(actor: Actor | undefined): Promise<WalPosition | null | undefined> {
    if (!actor) return null;
    if (performance.now() < (this.unnoted.get(actorId(actor)) ?? 0)) return undefined;
    try {
      // The end of a stream is noted before the stream is removed, so the streams are asked for first.
      const isWriting = this.redis.exists(this.name('writing', actor));
      const wrote = this.redis.get(this.name('wrote', actor));
      const [streams, position] = await Promise.all([isWriting, wrote]);
      return streams > 0 ? undefined : position;
    } catch {
      return undefined;
    }
  }

  /** Lets the primary answer the caller in this process until every read sees what has been written. */
  private keepUnnoted(actor: Actor): void {
    const now = performance.now();
    for (const [id, until] of this.unnoted) if (until <= now) this.unnoted.delete(id);
    this.unnoted.set(actorId(actor), now + this.settings.READ_LAG_SECONDS * 1_000);
  }

  private name(what: 'wrote' | 'writing', actor: Actor): string {
    // A caller's names are at one node of a cluster, because of the braces, so its commands keep their order.
    return `${this.settings.REDIS_PREFIX}:{${actorId(actor)}}:${what}`;
  }
}
