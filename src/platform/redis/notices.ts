import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { Mailbox } from '../../kernel/mailbox.js';
import { Settings } from '../config/settings.js';

/** Without Redis, what was begun just now is looked at after so long for the first time. */
const FIRST_LOOK_MS = 100;
/** A notice can be lost; the row cannot. */
const LOOK_EVERY_MS = 2_000;
/** As long as notices are heard, one is lost only where its teller died just before it told it. */
const LOOK_RARELY_MS = 15_000;

export interface Follow {
  /** Breaks it off, with its reason. */
  signal?: AbortSignal;
  withinMs?: number;
  /** Begun just now: it is first looked at when it is told of, or soon. Otherwise it may well be over at the first look. */
  isNew?: boolean;
  /** Stays long, as one of many: it looks rarely as long as notices are heard. */
  isStream?: boolean;
}

/**
 * Tells whoever listens, in this process and in others, that something happened. A notice may be lost: what it tells of
 * is in the database, and whoever waits looks there now and then.
 */
@Injectable()
export class Notices implements OnApplicationShutdown {
  private readonly processId = randomUUID();
  private readonly listeners = new EventEmitter().setMaxListeners(0);
  /** Of all who follow. */
  private readonly mailboxes = new Set<Pick<Mailbox<object>, 'wake'>>();
  private subscriber: Redis | undefined;

  constructor(
    private readonly redis: Redis,
    private readonly settings: Settings,
  ) {}

  /** Says something, or only that it is time to look. */
  tell(topic: string, message?: object): void {
    this.listeners.emit(topic, message);
    const said = JSON.stringify({ from: this.processId, message });
    this.redis.publish(this.channelOf(topic), said).catch(() => undefined);
  }

  /**
   * A turn for each look at what the topic is about: as soon as it is told of, and rarely where nothing is told. What was
   * told is in the mailbox. The last turn is when the time is over.
   */
  async *follow<Message extends object>(
    topic: string,
    { signal, withinMs = Infinity, isNew = false, isStream = false }: Follow,
  ): AsyncGenerator<Mailbox<Message>, void, undefined> {
    const until = performance.now() + withinMs;
    const mailbox = new Mailbox<Message>();
    const listener = (message?: Message) => (message ? mailbox.put(message) : mailbox.wake());
    this.listeners.on(topic, listener);
    this.mailboxes.add(mailbox);
    let isSubscribed = isNew;
    let hasLooked = false;
    // What other processes told before was not heard: it is time to look, unless the first look is about to be.
    const subscribed = () => hasLooked && mailbox.wake();
    if (isNew) this.subscribe(topic, subscribed);
    else mailbox.wake();
    try {
      for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = isStream && this.hears ? LOOK_RARELY_MS : LOOK_EVERY_MS) {
        const leftMs = Math.max(1, until - performance.now());
        await mailbox.something(Math.min(pauseMs, leftMs), signal);
        hasLooked = true;
        yield mailbox;
        if (performance.now() > until) return;
        // What is over at the first look costs Redis nothing.
        if (!isSubscribed) this.subscribe(topic, subscribed);
        isSubscribed = true;
      }
    } finally {
      this.listeners.off(topic, listener);
      this.mailboxes.delete(mailbox);
      if (isSubscribed) this.unsubscribe(topic);
    }
  }

  /** The thing as soon as it is over, or as it is after so long. */
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

  /** Whether what other processes tell arrives here. */
  private get hears(): boolean {
    return this.subscriber?.status === 'ready';
  }

  private wakeAll(): void {
    for (const mailbox of this.mailboxes) mailbox.wake();
  }

  /** A connection that subscribes can do nothing else. */
  private connect(): Redis {
    if (this.subscriber) return this.subscriber;
    this.subscriber = this.redis.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null });
    this.subscriber.on('error', () => undefined);
    this.subscriber.on('close', () => this.wakeAll());
    // Answered after all topics are subscribed to again: what was told meanwhile was not heard.
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
