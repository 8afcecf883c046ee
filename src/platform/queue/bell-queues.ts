import { BullModule, getQueueToken } from '@nestjs/bull';
import type { DynamicModule, Provider } from '@nestjs/common';
import type { Queue } from 'bull';
import { type QueueName, QUEUES } from '../../kernel/queues.js';
import { QueueConnections, QueueConnectionsModule } from './queue-connections.js';

type Queues = ReadonlyMap<QueueName, Queue<object>>;

/**
 * The queues of Bull, one for each kind of work. Each is there twice: while Redis is unavailable, ringing must fail at
 * once and listening must wait.
 */
export class BellQueues {
  constructor(
    readonly ringing: Queues,
    readonly listening: Queues,
  ) {}
}

const ringing = (queue: QueueName) => `${queue}:out`;
const listening = (queue: QueueName) => `${queue}:in`;

export const bullModule: DynamicModule = BullModule.registerQueueAsync(
  ...QUEUES.flatMap((queue) => [
    {
      name: ringing(queue),
      imports: [QueueConnectionsModule],
      useFactory: (connections: QueueConnections) => connections.ringing(queue),
      inject: [QueueConnections],
    },
    {
      name: listening(queue),
      imports: [QueueConnectionsModule],
      useFactory: (connections: QueueConnections) => connections.listening(queue),
      inject: [QueueConnections],
    },
  ]),
);

export const bellQueues: Provider = {
  provide: BellQueues,
  useFactory: (...queues: Queue<object>[]) =>
    new BellQueues(
      new Map(QUEUES.map((queue, at) => [queue, queues[at]!])),
      new Map(QUEUES.map((queue, at) => [queue, queues[QUEUES.length + at]!])),
    ),
  inject: [...QUEUES.map(ringing), ...QUEUES.map(listening)].map((name) => getQueueToken(name)),
};
