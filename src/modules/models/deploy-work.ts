import { z } from 'zod';
import { SYSTEM } from '../../kernel/actor.js';
import { type Id, toId } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { Events } from '../../platform/events/events.js';
import { Notifications } from '../../platform/redis/notifications.js';
import { type DockError, DoesDockWork, type DockSubject, type DockTask, DockWork } from '../dock/dock.port.js';
import { BaseModels } from './base-models.js';
import { HOSTING } from './hosting-process.entity.js';
import { HostingProcessRepository } from './hosting-process.repository.js';
import { ModelHosts } from './hosts/model-hosts.js';
import { Model } from './model.entity.js';
import { ModelRepository } from './model.repository.js';
import { ModelDeployed } from './models.events.js';
import { type ModelDeployment, type StartNote, topicOf } from './model-deployment.entity.js';
import { ModelDeploymentRepository } from './model-deployment.repository.js';

const DeployData = z.object({ deploymentId: z.string() });
type DeployData = z.infer<typeof DeployData>;

/** Hosts look for unclaimed deployments more often than this. */
const UNCLAIMED_MS = 5_000;
/** Large models take long to load, so a host that makes progress has this much time. */
const LONGEST_START_MS = 1_800_000;

/** The reason why a deployment fails, with the code and the message that the dock job shows. */
class DeployFault extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Chooses a host for the model, and waits until it is served. `Hosting` serves it, in this process or in another. */
@DoesDockWork({ jobType: 'MODELS', action: 'DEPLOY', data: DeployData, attempts: 3 })
export class DeployWork extends DockWork<DeployData> {
  constructor(
    private readonly database: Database,
    private readonly models: ModelRepository,
    private readonly deployments: ModelDeploymentRepository,
    private readonly bases: BaseModels,
    private readonly hosts: ModelHosts,
    private readonly processes: HostingProcessRepository,
    private readonly notifications: Notifications,
    private readonly events: Events,
  ) {
    super();
  }

  async run(task: DockTask<DeployData>): Promise<void> {
    const deploymentId = toId('modelDeployment', task.data.deploymentId);
    const deployment = await this.deployments.byId(deploymentId);
    if (!deployment) return task.fail('MODEL_NOT_FOUND', 'The model was deleted in the meantime.');
    try {
      const host = deployment.host ?? (await this.chooseHost(deployment));
      this.notifications.notify(HOSTING);
      await this.untilServed(task, deployment, host);
    } catch (error) {
      if (!(error instanceof DeployFault)) throw error;
      const { code, message } = error;
      await task.fail(code, message, (tx) => this.failed(tx, deploymentId, { code, message }));
      // The host that started the deployment then stops serving it at once.
      return this.notifications.notify(HOSTING);
    }
    await task.succeed(async (tx) => {
      const { deployment: locked, model } = await this.lockDeployment(tx, deploymentId);
      locked?.live();
      model?.deployed();
      if (!model) return;
      await this.events.publish(tx, ModelDeployed, { modelId: model.id, projectId: task.projectId, deploymentId });
    });
  }

  async lock(tx: Transaction, { data }: DockSubject<DeployData>): Promise<void> {
    await this.lockDeployment(tx, toId('modelDeployment', data.deploymentId));
  }

  async onFailed(tx: Transaction, { data }: DockSubject<DeployData>, { code, message }: DockError): Promise<void> {
    await this.failed(tx, toId('modelDeployment', data.deploymentId), { code, message });
  }

  /** Writes the kind of host that is to serve the deployment. From then on, any host of this kind may claim it. */
  private async chooseHost({ id, model }: ModelDeployment): Promise<string> {
    const { kind, facts } = model;
    const choice = this.hosts.choose({ kind, facts: facts! });
    if ('refusal' in choice) throw new DeployFault('FORMAT_NOT_SERVED', choice.refusal);
    const base = kind === 'adapter' ? await this.bases.of(model) : null;
    if (base && 'missing' in base) throw new DeployFault('BASE_MODEL_NOT_FOUND', base.missing);
    const { name } = choice.kind;
    await this.database.transaction(SYSTEM, async (tx) => {
      (await this.deployments.lockById(id))?.serveOn(name, base && tx.em.getReference(Model, base.id));
    });
    return name;
  }

  private async untilServed(task: DockTask<DeployData>, deployment: ModelDeployment, host: string): Promise<void> {
    const { minReplicas } = deployment.scalingParameters;
    const needed = this.hosts.fleetNames().includes(host) ? 1 : minReplicas;
    const startedAt = performance.now();
    let unclaimedSince: number | undefined = startedAt;
    let reason = '';
    const follow = { signal: task.signal, mustLookOften: () => true };
    for await (const notes of this.notifications.follow<StartNote>(topicOf(deployment.id), follow)) {
      reason = notes.all().at(-1)?.reason ?? reason;
      const state = await this.database.ask(this.deployments.servingStateOf(deployment.id));
      const now = performance.now();
      if (!state) throw new DeployFault('MODEL_NOT_FOUND', 'The model was deleted in the meantime.');
      if (state.trouble) throw new DeployFault(state.trouble.code, state.trouble.message);
      if (state.ready >= needed) return;
      unclaimedSince = state.isClaimed ? undefined : (unclaimedSince ?? now);
      if (unclaimedSince !== undefined && now - unclaimedSince > UNCLAIMED_MS) await this.checkHosts(host, minReplicas);
      if (now - startedAt > LONGEST_START_MS)
        throw new DeployFault('MODEL_START_TIMEOUT', `The model did not start within half an hour. ${reason}`.trim());
      const stage = state.progress < 60 ? 'Copying the model to its host' : 'Starting replicas';
      task.progress(state.progress + (39 * state.ready) / needed, reason === '' ? stage : `${stage}: ${reason}`);
    }
  }

  /** Fails the deployment if no live host has room for it. A host with room will claim it. */
  private async checkHosts(host: string, needed: number): Promise<void> {
    const processes = await this.database.ask(this.processes.live(host));
    const able = processes.filter(({ problem }) => problem === null);
    if (able.some(({ room }) => room >= needed)) return;
    const [problem] = processes.flatMap((one) => one.problem ?? []);
    const why =
      able.length > 0
        ? `The running hosts have no room for ${needed} more replicas. Undeploy a model, or raise MODEL_HOST_REPLICAS`
        : (problem ?? 'No process of the service hosts models (MODEL_HOST)');
    throw new DeployFault('NO_MODEL_HOST', `No host can serve the model. ${why}.`);
  }

  private async failed(tx: Transaction, deploymentId: Id<'modelDeployment'>, failure: DockError): Promise<void> {
    const { deployment, model } = await this.lockDeployment(tx, deploymentId);
    if (deployment?.state === 'STARTING') deployment.fail({ ...failure });
    if (model?.state === 'DEPLOYING') model.undeployed();
  }

  /** The model first, as everybody else does. */
  private async lockDeployment(tx: Transaction, deploymentId: Id<'modelDeployment'>) {
    const known = await this.deployments.byId(deploymentId);
    const model = known && (await this.models.lockInProject(tx, known.project.id, known.model.id));
    return { model, deployment: model && (await this.deployments.lockById(deploymentId)) };
  }
}
