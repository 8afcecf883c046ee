import { randomBytes } from 'node:crypto';
import { clock } from '../../../kernel/clock.js';
import { type Id, isId } from '../../../kernel/ids.js';
import { Settings } from '../../../platform/config/settings.js';
import { FilesService } from '../../files/files.service.js';
import type { Inspected } from '../contents/facts.js';
import { FleetFault, FleetHost, type FleetOrder, type FleetState } from './fleet-host.js';
import { Cluster } from './kubernetes/cluster.js';
import { contains } from './kubernetes/contains.js';
import { DEPLOYMENT_LABEL, inferenceServiceOf, labelsOf, nameOf } from './kubernetes/inference-service.js';
import type { InferenceService, Metadata, Secret } from './kubernetes/kserve.js';
import { stateOf } from './kubernetes/service-state.js';
import { HostsModels } from './model-host.js';

const DAY_MS = 86_400_000;
/** The time for which replicas that start again can read the file of their model while no process renews the links. */
const LINKS_LAST_MS = 7 * DAY_MS;
const LINKS_UNTIL = 'slipway/links-until';

/**
 * Runs GGUF models in a cluster with KServe: an InferenceService for each deployment, and a Secret with the token of its
 * replicas and links to the files that they read.
 */
@HostsModels({ name: 'kubernetes' })
export class KubernetesHost extends FleetHost {
  private readonly cluster: Cluster | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly files: FilesService,
  ) {
    super();
    const { MODEL_HOST, KUBERNETES_NAMESPACE, KUBECONFIG } = settings;
    // MODEL_HOST needs the namespace, which the settings say.
    if (MODEL_HOST === 'kubernetes') this.cluster = new Cluster(KUBERNETES_NAMESPACE!, KUBECONFIG);
  }

  refusalOf({ facts }: Inspected): string | undefined {
    if (facts.format === 'gguf') return undefined;
    return `Replicas in the cluster run GGUF files, and this is ${facts.format}. Convert it (convert_hf_to_gguf.py of llama.cpp) and import the result.`;
  }

  async ensure(order: FleetOrder, signal: AbortSignal): Promise<FleetState> {
    const cluster = this.openCluster();
    // If the cluster has no such services or refuses them, no Secret is made either.
    const present = await cluster.services.get(nameOf(order.deploymentId), signal);
    const token = await this.tokenOf(order, cluster, signal);
    const wanted = inferenceServiceOf(order, token, this.settings);
    const service = present ?? (await cluster.services.create(wanted, signal));
    return stateOf(await this.asWanted(service, wanted, cluster, signal), token, cluster.hasThisProcess);
  }

  async list(signal: AbortSignal): Promise<Id<'modelDeployment'>[]> {
    const cluster = this.openCluster();
    const present = [...(await cluster.services.list(signal)), ...(await cluster.secrets.list(signal))];
    const ids = present.filter(({ metadata }) => !metadata.deletionTimestamp).map(deploymentOf);
    return [...new Set(ids.filter((id) => id !== undefined))];
  }

  async remove(deploymentId: Id<'modelDeployment'>, signal: AbortSignal): Promise<void> {
    const cluster = this.openCluster();
    await cluster.services.delete(nameOf(deploymentId), signal);
    await cluster.secrets.delete(nameOf(deploymentId), signal);
  }

  private openCluster(): Cluster {
    if (!this.cluster) throw new FleetFault('MODEL_HOST is not kubernetes.', true);
    return this.cluster;
  }

  private async asWanted(
    present: InferenceService,
    wanted: InferenceService,
    { services }: Cluster,
    signal: AbortSignal,
  ): Promise<InferenceService> {
    const { metadata } = present;
    const { name, labels, annotations } = wanted.metadata;
    if (deploymentOf(present) !== deploymentOf(wanted))
      throw new FleetFault(`The cluster has another InferenceService of the name ${name}.`, true);
    const isAsWanted = contains(present, { spec: wanted.spec, metadata: { labels, annotations } });
    if (isAsWanted || metadata.deletionTimestamp) return present;
    const merged = {
      ...metadata,
      labels: { ...metadata.labels, ...labels },
      annotations: { ...metadata.annotations, ...annotations },
    };
    return services.replace({ ...wanted, metadata: merged }, signal);
  }

  /**
   * Returns the token of a fleet, which its Secret keeps. Makes the Secret, and renews the links in it in time, or if they
   * would be others by now: after a change of PUBLIC_URL or of the secrets that sign them.
   */
  private async tokenOf(order: FleetOrder, { secrets }: Cluster, signal: AbortSignal): Promise<string> {
    const newToken = () => randomBytes(32).toString('base64url');
    const secret =
      (await secrets.get(nameOf(order.deploymentId), signal)) ??
      (await secrets.create(this.secretOf(order, newToken(), linksEnd()), signal));
    const token = tokenIn(secret);
    const wanted = this.secretOf(order, token, linksEnd(secret));
    if (contains(secret, { metadata: wanted.metadata, data: wanted.data })) return token;
    const { resourceVersion } = secret.metadata;
    await secrets.replace(
      { ...wanted, metadata: { ...wanted.metadata, ...(resourceVersion && { resourceVersion }) } },
      signal,
    );
    return token;
  }

  private secretOf({ deploymentId, model, adapter }: FleetOrder, token: string, until: Date): Secret {
    const values = {
      token,
      modelLink: this.files.linkUntil(until, model.fileId),
      ...(adapter && { adapterLink: this.files.linkUntil(until, adapter.fileId) }),
    };
    const encoded = Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString('base64')]);
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      metadata: {
        name: nameOf(deploymentId),
        labels: labelsOf(deploymentId),
        annotations: { [LINKS_UNTIL]: until.toISOString() },
      },
      data: Object.fromEntries(encoded) as Record<string, string>,
    };
  }
}

/** Returns when the links end: as those of the Secret, or later if more than half of their time is over. */
function linksEnd(secret?: Secret): Date {
  const now = clock.now().getTime();
  const until = Date.parse(secret?.metadata.annotations?.[LINKS_UNTIL] ?? '');
  return new Date(until - now > LINKS_LAST_MS / 2 ? until : now + LINKS_LAST_MS);
}

function tokenIn({ metadata, data }: Secret): string {
  const token = Buffer.from(data?.token ?? '', 'base64').toString();
  if (!token) throw new FleetFault(`The Secret ${metadata.name} has no token. Delete it.`, true);
  return token;
}

function deploymentOf({ metadata }: { metadata: Metadata }): Id<'modelDeployment'> | undefined {
  const id = metadata.labels?.[DEPLOYMENT_LABEL];
  return id !== undefined && isId('modelDeployment', id) ? id : undefined;
}
