import { z } from 'zod';
import { QUEUES } from '../../kernel/queues.js';
import { timestamp } from '../../kernel/schema.js';
import type { ListedProcess } from './service-process.repository.js';

export const ProcessView = z
  .object({
    name: z
      .string()
      .describe('The name of the machine, and the number of the process there.')
      .meta({ examples: ['server-1:4711'] }),
    role: z
      .string()
      .describe('The task of the process: `api` answers requests, `worker` runs jobs, and `all` does both.')
      .meta({ examples: ['all'] }),
    queues: z
      .array(
        z.object({
          queue: z.enum(QUEUES).meta({ examples: ['dock'] }),
          limit: z
            .number()
            .int()
            .nullable()
            .describe(
              'The number of jobs of the queue that the process runs at a time at most. Null means that there is none.',
            )
            .meta({ examples: [2] }),
        }),
      )
      .describe(
        'The queues whose jobs the process runs, as `SLIPWAY_QUEUES` names them. The list is empty for role `api` and for a process of an earlier release.',
      ),
    version: z
      .string()
      .describe('The version of Slipway that the process runs.')
      .meta({ examples: ['1.0.0'] }),
    startedAt: timestamp,
    lastHeartbeatAt: timestamp,
    alive: z
      .boolean()
      .describe('Whether the last heartbeat is less than 75 seconds ago.')
      .meta({ examples: [true] }),
  })
  .meta({ id: 'Process' });

export function toProcessView(process: ListedProcess): z.infer<typeof ProcessView> {
  const { name, role, queues, version, startedAt, seenAt, isAlive } = process;
  return {
    name,
    role,
    queues,
    version,
    startedAt: startedAt.toISOString(),
    lastHeartbeatAt: seenAt.toISOString(),
    alive: isAlive,
  };
}
