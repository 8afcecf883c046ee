import { DiscoveryService } from '@nestjs/core';
import { type JobHandler, jobHandlers } from '../../src/platform/queue/job-handler.js';
import { aWaitingJob } from '../dock/make.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { Receiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { accepted, openChannel } from '../webhooks/channel.js';

const service = await startService();
const { database } = service;
const receiver = await Receiver.start();
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const discovery = service.app.get(DiscoveryService, { strict: false });
const handlers = [...jobHandlers.find(discovery, (_, handler) => handler).values()];
const has = (handler: object, method: keyof JobHandler<unknown>) =>
  Object.hasOwn(Object.getPrototypeOf(handler) as object, method);

it.each(handlers.map((handler): [string, JobHandler<unknown>] => [handler.constructor.name, handler]))(
  'locks what it changes when its job fails, as %s',
  (_, handler) => {
    expect(has(handler, 'lock')).toBe(has(handler, 'onFailed'));
  },
);

interface Waiting {
  jobId: string;
  /** The row that ends together with the job. */
  row: string;
}

async function dockJob(): Promise<Waiting> {
  const { id, jobId } = await aWaitingJob({ service, tenant: await makeTenant(service) });
  return { jobId: jobId!, row: `dock_job where id = '${id}'` };
}

/** A callback that is tried again in a few seconds. */
async function delivery(): Promise<Waiting> {
  const channel = await openChannel(service, { callbackUrl: receiver.url('failing'), events: ['agent.response'] });
  await accepted(channel);
  const [job] = await eventually(
    () =>
      database.rows<{ id: string; delivery: string }>(
        `select id, data ->> 'deliveryId' as delivery from job
         where project_id = $1 and data ? 'deliveryId' and state = 'queued' and run_at > now() + interval '2 s'`,
        [channel.tenant.projectId],
      ),
    ({ length }) => length === 1,
  );
  return { jobId: job!.id, row: `webhook_delivery where id = '${job!.delivery}'` };
}

it.each([
  ['a dock job', dockJob],
  ['a callback', delivery],
])('locks %s before the job that a cancellation ends, as an attempt does that ends', async (_, make) => {
  const { jobId, row } = await make();
  const ending = await database.openTransaction(`select from ${row} for update`);
  const cancelled = administratorOf(service).post(`/api/admin/v1/jobs/${jobId}/cancel`);
  await eventually(
    () => database.waiting(),
    ({ length }) => length > 0,
  );
  expect(await database.rows('select id from job where id = $1 for update skip locked', [jobId])).toEqual([
    { id: jobId },
  ]);
  await ending.commit();
  expect((await cancelled).outcome).toBe('200');
});
