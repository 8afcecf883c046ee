import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { KeyActor } from '../../kernel/actor.js';
import { Settings } from '../config/settings.js';
import { rateLimitErrors } from './rate-limit.errors.js';

/** A client may open a stream at once after it closes another. One that tries without knowing should try rarely. */
const TRY_AGAIN_SECONDS = 5;

/** Counts the event streams of every kind that this process sends, by key and by project. */
@Injectable()
export class OpenStreams {
  private readonly open = new Map<string, number>();

  constructor(private readonly settings: Settings) {}

  /** Counts a stream until its response is closed, and refuses it beyond the limit. A limit of 0 means no limit. */
  enter({ keyId, projectId }: KeyActor, response: Response): void {
    this.checkRoom('key', keyId, this.settings.STREAMS_PER_KEY);
    this.checkRoom('project', projectId, this.settings.STREAMS_PER_PROJECT);
    for (const owner of [keyId, projectId]) this.add(owner, 1);
    response.once('close', () => {
      for (const owner of [keyId, projectId]) this.add(owner, -1);
    });
  }

  private checkRoom(whose: string, owner: string, limit: number): void {
    if (limit === 0 || this.count(owner) < limit) return;
    throw rateLimitErrors.tooManyStreams({ whose, limit, seconds: TRY_AGAIN_SECONDS });
  }

  private count(owner: string): number {
    return this.open.get(owner) ?? 0;
  }

  private add(owner: string, more: 1 | -1): void {
    const count = this.count(owner) + more;
    if (count === 0) this.open.delete(owner);
    else this.open.set(owner, count);
  }
}
