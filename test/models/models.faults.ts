import { setTimeout as wait } from 'node:timers/promises';
import { randomFrom } from '../faults/task-service.js';
import { ask } from '../gateway/calls.js';
import { makeTenant } from '../support/actors.js';
import { type Answer, Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { SAID } from '../support/models/tiny-model.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { deploy, type DockJob, MODELS, read, textOf, undeploy, uploadModel } from './models.js';

const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);
/** The lease of a killed process has to run out before another process continues its job. */
const ENDED_WITHIN_MS = 90_000;

const settings = settingsFor(await createDatabase());
const database = new TestDatabase(settings.DATABASE_URL!);
let service: ServiceProcess;
afterAll(async () => {
  await service.kill();
  await database.end();
});

it.each(SEEDS)(
  'each operation on a model ends exactly once, whenever the process is killed (seed %s)',
  async (seed) => {
    const random = randomFrom(seed);
    service ??= await startProcess(settings);
    const tenant = await makeTenant(service);
    const api = () => Client.withKey(service, tenant.key);
    const killedAfter = async (milliseconds: number) => {
      await wait(random() * milliseconds);
      await service.kill();
      service = await startProcess(settings);
    };

    const { completed } = await uploadModel(api(), { chunks: 2 });
    const { modelId } = completed;
    await killedAfter(150);
    expect(await ended(api, completed.dockStatusId)).toMatchObject({ status: 'SUCCESS' });
    expect((await read(api(), modelId)).state).toBe('READY_TO_DEPLOY');

    const { body: deployment } = await deploy(api(), modelId);
    await killedAfter(1_500);
    expect(await ended(api, deployment.dockStatusId)).toMatchObject({ status: 'SUCCESS' });
    await eventually(
      () => ask({ ...tenant, api: api() }, modelId),
      (answer) => answer.status === 200 && textOf(answer) === SAID,
      ENDED_WITHIN_MS,
    );
    expect(await read(api(), modelId)).toMatchObject({ state: 'DEPLOYED', deployments: 1 });

    const operations: (() => Promise<Answer<DockJob>>)[] = [
      () => api().post(`${MODELS}/${modelId}/export`),
      () => undeploy(api(), modelId),
    ];
    for (const operation of operations) {
      const underWay = operation().catch(() => undefined);
      await killedAfter(20);
      const answer = await underWay;
      if (answer) expect((await ended(api, answer.body.dockStatusId)).status).toBe('SUCCESS');
    }
    const { state } = await read(api(), modelId);
    const live = await database.rows('select from model_deployment where model_id = $1 and state = $2', [
      modelId,
      'LIVE',
    ]);
    expect(live).toHaveLength(state === 'DEPLOYED' ? 1 : 0);
    if (state === 'DEPLOYED') await undeploy(api(), modelId);
  },
);

async function ended(api: () => Client, dockStatusId: string): Promise<DockJob> {
  const { body } = await eventually(
    () => api().get<DockJob>(`/api/public/dock-status/${dockStatusId}`),
    ({ body: job }) => job.status !== 'IN_PROGRESS',
    ENDED_WITHIN_MS,
  );
  return body;
}
