import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Mailbox } from '../../kernel/mailbox.js';
import { waiting } from '../../kernel/waiting.js';
import { Settings } from '../config/settings.js';
import { FOR_REQUESTS, openRedis, REDIS, type RedisClient } from './redis-client.js';

/** The first look at something new, in case its notification is lost or Redis is unavailable. */
const FIRST_LOOK_MS = 100;

export interface Follow {
  /** Ends the loop with the reason of the signal. */
  signal?: AbortSignal;
  withinMs?: number;
  /**
   * Whether the thing was just begun. The first look then comes with its first notification, or soon. Anything else may
   * be over already, so the first look comes at once.
   */
  isNew?: boolean;
  /**
   * Whether the looks stay frequent while Redis is connected, because they also do what depends on the time. It is asked
   * after each look.
   */
  mustLookOften?: () => boolean;
}

/**
 * Notifies listeners in this process and in others that something happened. A notification may be lost: the database
 * has what it is about, and every listener looks there now and then.
 */
@Injectable()
export class Notifications implements OnApplicationShutdown {
  /** The interval between looks while Redis is unavailable. A notification can be lost, but the row cannot. */
  lookEveryMs = 2_000;
  /**
   * The longest interval between looks while Redis is connected, up to which each interval doubles. A notification is then
   * lost only if its sender dies just before it sends it. Tests shorten both.
   */
  lookRarelyMs = 15_000;
  private readonly processId = randomUUID();
  private readonly listeners = new EventEmitter().setMaxListeners(0);
  /** The mailboxes of all listeners. */
  private readonly mailboxes = new Set<Pick<Mailbox<object>, 'wake'>>();
  private subscriber: RedisClient | undefined;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly settings: Settings,
  ) {}

  /** Sends a message to the listeners of a topic, or only wakes them to look. */
  notify(topic: string, message?: object): void {
    this.listeners.emit(topic, message);
    const said = JSON.stringify({ from: this.processId, message });
    this.redis.publish(this.channelOf(topic), said).catch(() => undefined);
  }

  /**
   * Yields once for each look at the subject of the topic: as soon as a notification arrives, and rarely without one.
   * The messages are in the mailbox. The last look comes when the time is over.
   */
  async *follow<Message extends object>(
    topic: string,
    { signal, withinMs = Infinity, isNew = false, mustLookOften = () => false }: Follow,
  ): AsyncGenerator<Mailbox<Message>, void, undefined> {
    const until = performance.now() + withinMs;
    const mailbox = new Mailbox<Message>();
    const listener = (message?: Message) => (message ? mailbox.put(message) : mailbox.wake());
    this.listeners.on(topic, listener);
    this.mailboxes.add(mailbox);
    let isSubscribed = isNew;
    let hasLooked = false;
    // Notifications that other processes sent before the subscription were missed. It is time to look, unless the first
    // look is still to come.
    const subscribed = () => hasLooked && mailbox.wake();
    if (isNew) this.subscribe(topic, subscribed);
    else mailbox.wake();
    try {
      for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = this.pauseAfter(pauseMs, mustLookOften())) {
        const leftMs = Math.max(1, until - performance.now());
        await waiting(() => mailbox.arrival(Math.min(pauseMs, leftMs), signal));
        hasLooked = true;
        yield mailbox;
        if (performance.now() > until) return;
        // A subject that is over at the first look costs Redis nothing.
        if (!isSubscribed) this.subscribe(topic, subscribed);
        isSubscribed = true;
      }
    } finally {
      this.listeners.off(topic, listener);
      this.mailboxes.delete(mailbox);
      if (isSubscribed) this.unsubscribe(topic);
    }
  }

  /** Returns the thing as soon as it is over, or as it is when the time is. */
  async ended<Thing>(
    topic: string,
    read: () => Promise<Thing>,
    isOver: (thing: Thing) => boolean,
    follow: Follow,
  ): Promise<Thing> {
    for await (const _ of this.follow(topic, follow)) {
      const thing = await read();
      if (isOver(thing)) return thing;
    }
    return read();
  }

  onApplicationShutdown(): void {
    this.subscriber?.disconnect();
  }

  private subscribe(topic: string, subscribed: () => void): void {
    this.connect()
      .subscribe(this.channelOf(topic))
      .then(subscribed)
      .catch(() => undefined);
  }

  private unsubscribe(topic: string): void {
    if (this.listeners.listenerCount(topic) > 0) return;
    this.connect()
      .unsubscribe(this.channelOf(topic))
      .catch(() => undefined);
  }

  private pauseAfter(pauseMs: number, mustLookOften: boolean): number {
    if (mustLookOften || !this.isReceiving) return this.lookEveryMs;
    return Math.min(Math.max(2 * pauseMs, this.lookEveryMs), this.lookRarelyMs);
  }

  /** Whether notifications of other processes arrive here. */
  private get isReceiving(): boolean {
    return this.subscriber?.status === 'ready';
  }

  private wakeAll(): void {
    for (const mailbox of this.mailboxes) mailbox.wake();
  }

  /** A connection that subscribes can do nothing else. */
  private connect(): RedisClient {
    if (this.subscriber) return this.subscriber;
    this.subscriber = openRedis(this.settings.REDIS_URL, {
      ...FOR_REQUESTS,
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
    });
    this.subscriber.on('error', () => undefined);
    this.subscriber.on('close', () => this.wakeAll());
    // A cluster stays connected when it loses a node, which may be the one that sent the notifications.
    this.subscriber.on('-node', () => this.wakeAll());
    // Redis answers the ping after it has subscribed to all topics again. Notifications that were sent meanwhile were
    // missed.
    this.subscriber.on(
      'ready',
      () =>
        void this.subscriber?.ping().then(
          () => this.wakeAll(),
          () => undefined,
        ),
    );
    this.subscriber.on('message', (channel: string, text: string) => {
      const { from, message } = JSON.parse(text) as { from: string; message?: object };
      if (from !== this.processId) this.listeners.emit(channel.slice(this.channelOf('').length), message);
    });
    return this.subscriber;
  }

  private channelOf(topic: string): string {
    return `${this.settings.REDIS_PREFIX}:notice:${topic}`;
  }
}
