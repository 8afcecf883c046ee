import { MikroORM } from '@mikro-orm/postgresql';
import { Delivery } from '../../src/modules/webhooks/deliveries/delivery.entity.js';
import { Message } from '../../src/modules/webhooks/messages/message.entity.js';
import { toId } from '../../src/kernel/ids.js';
import { Receiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { accepted, openChannel, replyTo, untilFollowed } from './channel.js';

const service = await startService();
const receiver = await Receiver.start();
const channel = await openChannel(service, { callbackUrl: receiver.url() });
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

it('other modules find messages with their deliveries and attempts, and bodies only on request', async () => {
  const sent = await accepted(channel);
  const { raw } = await replyTo(receiver, sent);
  await untilFollowed(channel, sent.message_id, ({ callbacks }) => callbacks[0]?.status === 'DELIVERED');

  const em = service.app.get(MikroORM).em.fork();
  const message = await em.findOneOrFail(
    Message,
    { id: toId('message', sent.message_id), project: toId('project', channel.tenant.projectId) },
    { populate: ['subscription', 'deliveries.attempts'] },
  );
  expect(message).toMatchObject({ status: 'completed', sessionKey: sent.session_key });
  expect(message.subscription.callbackUrl).toBe(receiver.url());
  const [delivery] = message.deliveries.getItems();
  expect(delivery).toMatchObject({ status: 'DELIVERED', attemptCount: 1, message, isForgotten: false });
  expect(delivery!.attempts.getItems()).toMatchObject([{ number: 1, status: 200, delivery }]);

  expect(delivery!.body).toBeUndefined();
  const [read] = await em.find(Delivery, { message }, { populate: ['body'], refresh: true });
  expect(read!.body).toBe(raw);
});
