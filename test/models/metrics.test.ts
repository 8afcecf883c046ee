import { makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { readMetric } from '../support/metrics.js';
import { startService } from '../support/service.js';
import { liveModel, undeploy } from './models.js';

const service = await startService();
const { api } = await makeTenant(service);
afterAll(() => service.stop());

const replicas = async () => {
  const states = ['ready', 'missing', 'lost'];
  return Promise.all(states.map((state) => readMetric(service, 'slipway_model_replicas', { state })));
};

it('the metric counts the replicas that answer, that are missing and that are lost', async () => {
  expect(await replicas()).toEqual([0, 0, 0]);
  const modelId = await liveModel(api);
  expect(await replicas()).toEqual([1, 0, 0]);

  const wanted = `{"minReplicas":3}`;
  await service.database.rows(
    'update model_deployment set scaling_parameters = scaling_parameters::jsonb || $2::jsonb where model_id = $1',
    [modelId, wanted],
  );
  expect(await replicas()).toEqual([1, 2, 0]);
  await service.database.rows(
    `with died as (
       insert into model_host (holder, host, room, lease_until) values ('h-that-died', 'local', 0, now()) returning holder)
     update model_replica set holder = died.holder from died`,
  );
  expect(await replicas()).toEqual([0, 3, 1]);

  await undeploy(api, modelId);
  await eventually(replicas, ([ready, missing]) => ready === 0 && missing === 0);
});
