import { makeTenant, type Tenant } from '../support/actors.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { KubernetesApi } from '../support/kubernetes/api-server.js';
import { inPod, withServiceAccount } from '../support/kubernetes/in-pod.js';
import { MAIN, type ServiceProcess, startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { servedWithoutPod } from './in-cluster.js';
import { undeploy } from './models.js';

inPod('a process in a pod of the cluster', () => {
  let api: Awaited<ReturnType<typeof KubernetesApi.startForPod>>;
  let service: ServiceProcess;
  let tenant: Tenant;

  beforeAll(async () => {
    api = await KubernetesApi.startForPod();
    const settings = { ...settingsFor(await createDatabase()), ...api.settings };
    service = await startProcess(settings, MAIN, withServiceAccount(api.serviceAccount));
    tenant = await makeTenant(service);
  });
  afterAll(async () => {
    await service?.stop();
    await api?.stop();
  });

  it('serves models with its service account, over HTTPS, and with each token that the node puts there', async () => {
    const { modelId } = await servedWithoutPod(api, tenant);
    await api.changeToken('the token of tomorrow');
    await undeploy(tenant.api, modelId);
    await eventually(() => api.services.length === 0 && api.secrets.length === 0);
    await api.changeToken('the token of the day after');
    await undeploy(tenant.api, (await servedWithoutPod(api, tenant)).modelId);
  });
});
