import { randomInt } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import pg from 'pg';
import { randomBase62 } from '../../kernel/base62.js';
import { machineTime } from '../../kernel/clock.js';
import { Settings } from '../config/settings.js';
import { DatabaseClock } from '../database/database-clock.js';
import { directUrl } from '../database/orm-options.js';
import { Log } from '../telemetry/log.js';
import { KeyDirectory } from './key-directory.js';
import { KnownKeys } from './known-keys.js';
import { RunningRequests } from './running-requests.js';

/** A channel, and the class of the advisory locks by which the database knows the processes that listen to it. */
export interface Notice {
  channel: string;
  lock: number;
}

/** Stop the requests of these keys. The lock's class is "kyrv". */
export const REVOKED: Notice = { channel: 'slipway_key_revoked', lock: 0x6b797276 };
/** Drop what is known of these keys, or of the keys of these scopes. The lock's class is "kych". */
export const CHANGED: Notice = { channel: 'slipway_key_changed', lock: 0x6b796368 };
const NOTICES = [REVOKED, CHANGED];

/** Processes of a release that does not name the asking process in its questions ask and confirm on this channel. */
const CONFIRMED = 'slipway_key_requests_stopped';

/** How often the connection is checked while requests run. */
const PING_EVERY_MS = 1_000;
/** How often it is checked otherwise, so that nothing between here and the database closes it for being idle. */
const PING_WHEN_IDLE_MS = 30_000;
const PING_TIMEOUT_MS = 2_000;
const RECONNECT_MS = 200;

/**
 * Listens on a connection of its own for keys that any process revokes or changes, acts on it and confirms it.
 *
 * While the connection is up, the process keeps an advisory lock for each kind of notice under its number. When the
 * process or the connection dies, the locks are gone, so that no other process waits for a confirmation that cannot come.
 */
@Injectable()
export class KeyListener implements OnModuleInit, OnApplicationShutdown {
  readonly processNumber = randomInt(1, 2 ** 31);
  /** Emits `confirmed` with (question, process number). Each change of a key that waits is a listener. */
  readonly confirmations = new EventEmitter().setMaxListeners(0);
  private client: pg.Client | undefined;
  private listening = false;
  /** Whether the loss of the connection is logged already; each loss is logged once. */
  private isLost = false;
  private readonly closing = new AbortController();
  private loop: Promise<void> | undefined;
  private asked: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly settings: Settings,
    private readonly keys: KeyDirectory,
    private readonly running: RunningRequests,
    private readonly known: KnownKeys,
    private readonly databaseClock: DatabaseClock,
    private readonly log: Log,
  ) {}

  /** False while notifications of revocations may be missed. Each answer then checks its key again. */
  get isListening(): boolean {
    return this.listening;
  }

  /** Makes the name of a question, which begins with the number of the process that receives the confirmations. */
  newQuestion(): string {
    return `${this.processNumber}.${randomBase62(22)}`;
  }

  async onModuleInit(): Promise<void> {
    await this.listen().catch((error: unknown) => this.lost(this.client, error));
    this.loop = this.stayConnected();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing.abort();
    await this.loop;
    this.listening = false;
    await this.client?.end().catch(() => undefined);
  }

  private async stayConnected(): Promise<void> {
    const { signal } = this.closing;
    const pause = (ms: number) => wait(ms, undefined, { ref: false, signal }).catch(() => undefined);
    let pingAt = 0;
    while (!signal.aborted) {
      try {
        if (!this.listening) await this.listen();
        await pause(PING_EVERY_MS);
        if (!this.running.takeActivity() && performance.now() < pingAt) continue;
        if (this.client) await this.ping(this.client);
        pingAt = performance.now() + PING_WHEN_IDLE_MS;
      } catch (error) {
        this.lost(this.client, error);
        await pause(RECONNECT_MS);
      }
    }
  }

  private async listen(): Promise<void> {
    const client = new pg.Client({
      connectionString: directUrl(this.settings),
      connectionTimeoutMillis: PING_TIMEOUT_MS,
      query_timeout: PING_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'slipway revocations',
    });
    this.client = client;
    client.on('error', (error) => this.lost(client, error));
    client.on('notification', ({ channel, payload = '' }) => this.receive(channel, payload));
    await client.connect();
    const channels = [...NOTICES.map(({ channel }) => channel), CONFIRMED, confirmedChannelOf(this.processNumber)];
    await this.ask(client, channels.map((channel) => `listen ${channel}`).join('; '));
    for (const { lock } of NOTICES) {
      await this.ask(client, 'select pg_advisory_lock_shared($1, $2)', [lock, this.processNumber]);
    }
    await this.catchUp();
    // The connection may have broken during the reads above.
    await this.ping(client);
    if (this.isLost) this.log.info('The process receives notifications of revoked keys again');
    this.isLost = false;
    this.listening = true;
  }

  /** Finds the keys that were revoked while this process did not listen. */
  private async catchUp(): Promise<void> {
    const inUse = this.running.keysInUse();
    if (inUse.length === 0) return;
    const good = await this.keys.stillValid(inUse);
    for (const keyId of inUse) if (!good.has(keyId)) this.running.revoke(keyId);
  }

  private lost(client: pg.Client | undefined, error: unknown): void {
    void client?.end().catch(() => undefined);
    if (client !== this.client) return;
    this.client = undefined;
    this.listening = false;
    this.known.distrust();
    if (this.isLost) return;
    this.isLost = true;
    if (!this.closing.signal.aborted)
      this.log.warn(
        { err: error },
        'The process receives no notifications of revoked keys, so every answer checks its key again',
      );
  }

  private receive(channel: string, payload: string): void {
    const [question = '', ...words] = payload.split(' ');
    const notice = NOTICES.find((each) => each.channel === channel);
    if (!notice) {
      this.confirmations.emit('confirmed', question, Number(words[0]));
      return;
    }
    this.act(notice, words);
    const answer = `${question} ${this.processNumber}`;
    const { client } = this;
    if (!client) return;
    const [asking, name] = question.split('.');
    const confirmation = name === undefined ? CONFIRMED : confirmedChannelOf(Number(asking));
    this.ask(client, 'select pg_notify($1, $2)', [confirmation, answer]).catch((error: unknown) =>
      this.lost(client, error),
    );
  }

  /** Does in this process as the notice says. */
  act(notice: Notice, ids: readonly string[]): void {
    this.known.drop(ids);
    if (notice === REVOKED) for (const keyId of ids) this.running.revoke(keyId);
  }

  /** Asks for the database's time as well, since it asks something anyway. */
  private async ping(client: pg.Client): Promise<void> {
    const trustedFrom = performance.now();
    const askedAt = machineTime();
    const { rows } = await this.ask<{ time: Date }>(client, 'select clock_timestamp() as time');
    // It may have broken right after this answer, which was then read together with the end of the connection.
    if (this.client !== client) throw new Error('The connection that receives notifications has ended');
    this.databaseClock.compare(askedAt, rows[0]!.time);
    this.known.trustSince(trustedFrom);
  }

  /** Sends queries one after the other, because the driver takes no second query while one runs. */
  private async ask<Row extends object>(
    client: pg.Client,
    text: string,
    values: unknown[] = [],
  ): Promise<pg.QueryResult<Row>> {
    const before = this.asked;
    const asked = before.then(() => client.query<Row>(text, values));
    this.asked = asked.catch(() => undefined);
    return asked;
  }
}

/** Only the asking process listens to this channel, so a revocation costs a hundred processes a hundred messages. */
function confirmedChannelOf(processNumber: number): string {
  return `${CONFIRMED}_${processNumber}`;
}
