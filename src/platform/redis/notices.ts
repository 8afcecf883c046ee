import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { Settings } from '../config/settings.js';

type Listener = (message: unknown) => void;

/**
 * Tells whoever listens, in this process and in others, that something happened. A notice may be lost: what it tells of
 * is in the database, and whoever waits looks there now and then.
 */
@Injectable()
export class Notices implements OnApplicationShutdown {
  private readonly processId = randomUUID();
  private readonly listeners = new EventEmitter().setMaxListeners(0);
  private subscriber: Redis | undefined;

  constructor(
    private readonly redis: Redis,
    private readonly settings: Settings,
  ) {}

  tell(topic: string, message: object): void {
    this.listeners.emit(topic, message);
    const said = JSON.stringify({ from: this.processId, message });
    this.redis.publish(this.channelOf(topic), said).catch(() => undefined);
  }

  /** Returns a function that stops listening. */
  hear(topic: string, listener: Listener): () => void {
    const channel = this.channelOf(topic);
    this.listeners.on(topic, listener);
    this.connect()
      .subscribe(channel)
      .catch(() => undefined);
    return () => {
      this.listeners.off(topic, listener);
      if (this.listeners.listenerCount(topic) > 0) return;
      this.connect()
        .unsubscribe(channel)
        .catch(() => undefined);
    };
  }

  onApplicationShutdown(): void {
    this.subscriber?.disconnect();
  }

  /** A connection that subscribes can do nothing else. */
  private connect(): Redis {
    if (this.subscriber) return this.subscriber;
    this.subscriber = this.redis.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null });
    this.subscriber.on('error', () => undefined);
    this.subscriber.on('message', (channel: string, text: string) => {
      const { from, message } = JSON.parse(text) as { from: string; message: unknown };
      if (from !== this.processId) this.listeners.emit(channel.slice(this.channelOf('').length), message);
    });
    return this.subscriber;
  }

  private channelOf(topic: string): string {
    return `${this.settings.REDIS_PREFIX}:notice:${topic}`;
  }
}
