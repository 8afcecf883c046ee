import { newId } from '../../src/kernel/ids.js';
import { AttemptRepository } from '../../src/modules/webhooks/deliveries/attempt.repository.js';
import { Delivery } from '../../src/modules/webhooks/deliveries/delivery.entity.js';
import { DeliveryRepository } from '../../src/modules/webhooks/deliveries/delivery.repository.js';
import { Message } from '../../src/modules/webhooks/messages/message.entity.js';
import { MessageRepository } from '../../src/modules/webhooks/messages/message.repository.js';
import { SubscriptionRepository } from '../../src/modules/webhooks/subscriptions/subscription.repository.js';
import { asOne } from '../../src/platform/database/statement.js';
import { exampleRow, examplesOf, type Examples } from '../support/statement-examples.js';

const [projectId, id, messageId, now] = [newId('project'), newId('delivery'), newId('message'), new Date()];
const subscriptionId = newId('subscription');
const attempt = { at: now, status: 200, url: 'https://example.com/callbacks', latencyMs: 1, error: null, answer: '' };
const pause = { afterFailures: 5, longestSeconds: 60 };

export const examples: Examples = {
  ...examplesOf(AttemptRepository, (attempts) => ({ lastOf: attempts.lastOf([id]) })),
  ...examplesOf(DeliveryRepository, (deliveries) => ({
    add: deliveries.add({ ...exampleRow(Delivery), body: 'body' }),
    withBody: deliveries.withBody(id),
    toSend: deliveries.toSend(id),
    ofMessage: deliveries.ofMessage(messageId),
    'ofSubscription (all)': deliveries.ofSubscription(subscriptionId, {}, { after: null, order: 'desc', limit: 20 }),
    'ofSubscription (all filters, a later page)': deliveries.ofSubscription(
      subscriptionId,
      { status: 'FAILED', event: 'agent.response' },
      { after: id, order: 'asc', limit: 20 },
    ),
    countFailed: deliveries.countFailed(subscriptionId, now, now),
    lockSomeFailed: deliveries.lockSomeFailed(subscriptionId, now, now, 100),
    lock: deliveries.lock(id),
    reopen: deliveries.reopen(id, now),
    deliver: asOne(deliveries.deliver(id, attempt), deliveries.fail(id, 'error')),
    countFailure: deliveries.countFailure(id, { ...attempt, error: 'error' }),
    wait: deliveries.wait(id, now, 'error'),
    fail: deliveries.fail(id, 'error'),
    delete: deliveries.delete(id),
    forgetPending: deliveries.forgetPending([messageId]),
    deleteOthers: deliveries.deleteOthers([messageId]),
  })),
  ...examplesOf(MessageRepository, (messages) => ({
    add: messages.add(exampleRow(Message)),
    byId: messages.byId(messageId),
    inProject: messages.inProject(projectId, messageId),
    underWay: messages.underWay(messageId),
    end: messages.end(messageId, 'completed', null),
    deleteOfSession: messages.deleteOfSession(newId('session')),
  })),
  ...examplesOf(SubscriptionRepository, (subscriptions) => ({
    row: subscriptions.row(subscriptionId),
    rowInProject: subscriptions.rowInProject(projectId, subscriptionId),
    countByState: subscriptions.countByState(),
    probe: subscriptions.probe(subscriptionId, 10, 5),
    noteSuccess: subscriptions.noteSuccess(subscriptionId, now),
    noteFailure: subscriptions.noteFailure(subscriptionId, now, pause),
  })),
};
