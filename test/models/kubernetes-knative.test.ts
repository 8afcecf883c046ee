import { eventually } from '../support/eventually.js';
import { servedWithoutPod, startInCluster } from './in-cluster.js';
import { undeploy } from './models.js';

const { api, tenant } = await startInCluster({
  KUBERNETES_MODE: 'knative',
  KUBERNETES_GPU_RESOURCE: 'nvidia.com/gpu',
});

it('lets Knative scale by calls, and asks for the graphics cards of the device type', async () => {
  const scalingParameters = { minReplicas: 1, maxReplicas: 4, maxBatchSize: 6 };
  const { modelId, service } = await servedWithoutPod(api, tenant, { scalingParameters, deviceType: 'g5.12xlarge' });
  const { metadata, spec } = service();
  expect(metadata.annotations).toMatchObject({ 'serving.kserve.io/deploymentMode': 'Serverless' });
  expect(spec).toMatchObject({
    predictor: {
      minReplicas: 1,
      maxReplicas: 4,
      scaleMetric: 'concurrency',
      scaleTarget: 6,
      annotations: { 'serving.knative.dev/progress-deadline': '1800s' },
      containers: [{ resources: { limits: { 'nvidia.com/gpu': '4' } } }],
    },
  });
  expect(spec).not.toHaveProperty('predictor.terminationGracePeriodSeconds');
  await undeploy(tenant.api, modelId);
  await eventually(() => api.services.length === 0);
});
