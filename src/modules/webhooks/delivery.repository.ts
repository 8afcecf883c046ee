import { EntityRepository, type FilterQuery, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { cutPage, type Page, type PageRequest } from '../../kernel/page.js';
import type { Delivery, DeliveryStatus } from './delivery.entity.js';

/** Status events of one message are a handful; a turn that is suspended again and again has more. */
const MOST_OF_A_MESSAGE = 100;

export class DeliveryRepository extends EntityRepository<Delivery> {
  withBody(deliveryId: Id<'delivery'>): Promise<Delivery | null> {
    return this.findOne({ id: deliveryId }, { populate: ['body'] });
  }

  lock(deliveryId: Id<'delivery'>): Promise<Delivery | null> {
    return this.findOne({ id: deliveryId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  ofMessage(messageId: Id<'message'>): Promise<Delivery[]> {
    return this.find({ messageId }, { orderBy: { id: 'asc' }, limit: MOST_OF_A_MESSAGE });
  }

  async newestFirst(
    subscriptionId: Id<'subscription'>,
    status: DeliveryStatus | undefined,
    { cursor, limit }: PageRequest,
  ): Promise<Page<Delivery>> {
    const where: FilterQuery<Delivery> = { subscriptionId, ...(status && { status }) };
    const before = cursor === undefined ? {} : { id: { $lt: cursor as Id<'delivery'> } };
    const options = { orderBy: { id: 'desc' as const }, limit: limit + 1 };
    const rows = await this.find({ ...where, ...before }, options);
    return cutPage(rows, limit);
  }

  /** Given up in that time. */
  countFailed(subscriptionId: Id<'subscription'>, since: Date, until: Date): Promise<number> {
    return this.count({ subscriptionId, status: 'FAILED', endedAt: { $gte: since, $lte: until } });
  }

  /** Some of those; whoever another transaction holds is left to it. */
  lockSomeFailed(subscriptionId: Id<'subscription'>, since: Date, until: Date, limit: number): Promise<Delivery[]> {
    return this.find(
      { subscriptionId, status: 'FAILED', endedAt: { $gte: since, $lte: until } },
      { orderBy: { endedAt: 'asc', id: 'asc' }, limit, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
    );
  }
}
