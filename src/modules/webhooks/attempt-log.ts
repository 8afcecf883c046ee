import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { Statements } from '../../platform/database/statements.js';

/** One attempt to deliver, as it is logged. */
export interface Attempt {
  number: number;
  at: Date;
  /** Of the receiver's answer; null where there was none. */
  status: number | null;
  latencyMs: number;
  /** Why it did not count; null where it did. */
  error: string | null;
  /** The first bytes of what the receiver answered. */
  answer: string | null;
}

/** What was tried. `DeliveryStore` writes each attempt as it counts it; it goes when its delivery does. */
@Injectable()
export class AttemptLog {
  constructor(private readonly statements: Statements) {}

  /** The last hundred of each delivery, the oldest of them first. */
  async of(deliveryIds: readonly Id<'delivery'>[]): Promise<Map<string, Attempt[]>> {
    const rows = await this.statements.run<Attempt & { deliveryId: string }>(
      `select delivery_id as "deliveryId", number, at, status, latency_ms as "latencyMs", error, answer
       from unnest($1::text[]) as wanted (id) cross join lateral (
         select * from webhook_attempt where delivery_id = wanted.id order by number desc limit 100) as attempt
       order by delivery_id, number`,
      [[...deliveryIds]],
    );
    return Map.groupBy(rows, ({ deliveryId }) => deliveryId);
  }
}
