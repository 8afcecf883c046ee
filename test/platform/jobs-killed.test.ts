import { expectEveryTaskOnce, randomFrom, TaskService } from '../faults/task-service.js';

/** This is the short form of test/faults, where processes of both roles are killed at random twenty times. */
it.each([1, 2])(
  'runs what it accepted once and in order when both processes are killed (seed %s)',
  async (seed) => {
    const random = randomFrom(seed);
    const service = await TaskService.create();
    try {
      let [api, worker] = await Promise.all([service.start('api'), service.start('worker')]);
      const load = service.load(() => api, 8);
      await service.hasAccepted(20 + random() * 50);
      await service.kill(worker);
      await service.leasesRunOut();
      await service.hasAccepted(service.accepted.length + random() * 50);
      await service.kill(api);
      [api, worker] = await Promise.all([service.start('api'), service.start('worker')]);
      await service.hasAccepted(service.accepted.length + 20);
      await load.end();
      await service.drained(60_000);
      await expectEveryTaskOnce(service);
    } finally {
      await service.stop();
    }
  },
  120_000,
);
