import { FleetPace } from '../../src/modules/models/serving/fleet-pace.js';
import { Notifications } from '../../src/platform/redis/notifications.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { KubernetesApi, type KubernetesObject } from '../support/kubernetes/api-server.js';
import { Balancer } from '../support/kubernetes/balancer.js';
import { type Pod, runPod } from '../support/kubernetes/pod.js';
import { ready } from '../support/kubernetes/statuses.js';
import { type Service, startService } from '../support/service.js';
import { deploy, type DockJob, ended, importModel, type ModelUpload } from './models.js';

/** Makes the service in this process look at its fleets many times a second, so that tests need not wait for it. */
export function hurry(service: Service): void {
  Object.assign(service.app.get(Notifications), { lookEveryMs: 200 });
  const pace: FleetPace = { lookSoonMs: 50, lookMs: 200, longestFaultMs: 2_500, sweepAgainMs: 200 };
  Object.assign(service.app.get(FleetPace), pace);
}

/** An address at which nothing listens. */
export const NOWHERE = 'http://127.0.0.1:9';

export interface InCluster {
  readonly modelId: string;
  readonly job: DockJob;
  /** The InferenceService as it is now. */
  readonly service: () => KubernetesObject;
}

/**
 * Starts a service beside the double of a cluster. Its pods reach the service by a balancer. After the last test of the
 * file, all of them are stopped.
 */
export async function startInCluster(settings: Record<string, string>) {
  const api = await KubernetesApi.start();
  const balancer = await Balancer.start();
  const service = await startService({ ...api.settings, PUBLIC_URL: balancer.url, ...settings });
  hurry(service);
  balancer.target = service.url;
  const tenant = await makeTenant(service);
  const pods: Pod[] = [];
  afterAll(async () => {
    for (const pod of pods) pod.kill();
    await service.stop();
    await Promise.all([api.stop(), balancer.stop()]);
  });
  const live = async (...given: Parameters<typeof begun> extends [unknown, unknown, ...infer More] ? More : never) => {
    const deployment = await begun(api, tenant, ...given);
    const pod = await served(api, tenant, deployment);
    pods.push(pod);
    return { ...deployment, pod };
  };
  return { api, balancer, service, tenant, live };
}

/** Begins a deployment, and waits until the cluster has its InferenceService. */
export async function begun(
  api: KubernetesApi,
  tenant: Tenant,
  upload: ModelUpload = {},
  parameters: object = {},
  modelType?: string,
): Promise<InCluster> {
  const modelId = await importModel(tenant.api, upload);
  const before = new Set(api.services.map(({ metadata }) => metadata.name));
  const isNew = ({ metadata }: KubernetesObject) => !before.has(metadata.name);
  const { body: job } = await deploy(tenant.api, modelId, parameters, modelType);
  await eventually(() => api.services.some(isNew));
  const { name } = api.services.find(isNew)!.metadata;
  return { modelId, job, service: () => api.services.find(({ metadata }) => metadata.name === name)! };
}

/** Begins a deployment, and reports an address at which nothing listens. */
export async function servedWithoutPod(
  api: KubernetesApi,
  tenant: Tenant,
  parameters: object = {},
): Promise<InCluster> {
  const deployment = await begun(api, tenant, {}, parameters);
  api.report(deployment.service(), ready(NOWHERE));
  await succeeded(tenant, deployment.job);
  return deployment;
}

/** Does what KServe does until a deployment is ready: runs a pod, and reports its address. */
export async function served(api: KubernetesApi, tenant: Tenant, { job, service }: InCluster): Promise<Pod> {
  const pod = await runPod(api, service());
  api.report(service(), ready(await pod.listening()));
  await succeeded(tenant, job);
  return pod;
}

async function succeeded(tenant: Tenant, job: DockJob): Promise<void> {
  const { status, error } = await ended(tenant.api, job);
  if (status !== 'SUCCESS') throw new Error(`The deployment failed: ${JSON.stringify(error)}`);
}
