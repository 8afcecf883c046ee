import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import { outsideRequest } from '../../context/request-context.js';
import { Statements } from '../statements.js';
import { type PrimaryAt, positionOfPrimary } from './positions.statements.js';

interface Sample extends PrimaryAt {
  takenAt: number;
}

/** Knows how far the primary had written within the last READ_LAG_SECONDS. It asks only while there are reads. */
@Injectable()
export class PrimaryPosition {
  private samples: Sample[] = [];
  private taking: Promise<Sample> | undefined;
  private readonly boundMs: number;

  constructor(
    private readonly statements: Statements,
    { READ_LAG_SECONDS }: Settings,
  ) {
    this.boundMs = READ_LAG_SECONDS * 1_000;
  }

  /** Returns the earliest position that no read may be behind, so that it is no older than READ_LAG_SECONDS. */
  async earliest(): Promise<PrimaryAt> {
    this.forgetOld();
    const newest = this.samples.at(-1);
    if (!newest) return this.take();
    if (performance.now() - newest.takenAt > this.boundMs / 2) void this.take().catch(() => undefined);
    return this.samples[0]!;
  }

  now(): Promise<PrimaryAt> {
    return this.statements.ask(positionOfPrimary());
  }

  private forgetOld(): void {
    const bound = performance.now() - this.boundMs;
    this.samples = this.samples.filter(({ takenAt }) => takenAt > bound);
  }

  /** All reads that come meanwhile share the answer, so it does not belong to one of their requests. */
  private take(): Promise<Sample> {
    this.taking ??= outsideRequest(async () => {
      const takenAt = performance.now();
      try {
        const sample = { ...(await this.now()), takenAt };
        this.samples.push(sample);
        return sample;
      } finally {
        this.taking = undefined;
      }
    });
    return this.taking;
  }
}
