import { randomBytes } from 'node:crypto';
import { type Id, newId } from '../../../kernel/ids.js';
import type { ModelHost, Replica, ReplicaEnd, ReplicaListener, ReplicaLoad } from '../hosts/model-host.js';
import { topicOf } from '../model-deployment.entity.js';
import type { ClaimedDeployment } from '../model-deployment.repository.js';
import { Scaling } from './scaling.js';
import type { Served } from './served.js';
import type { ServingContext } from './serving-context.js';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 30_000;
/** A start fails after this many deaths of replicas. A single death may have nothing to do with the model. */
const DEATHS_AT_START = 2;
/** The ends that lie in the model itself, so that another replica would end the same way. */
const FINAL_ENDS: ReplicaEnd['code'][] = ['MODEL_NOT_LOADED', 'CHAT_TEMPLATE_ENDLESS'];
const IDLE: ReplicaLoad = { active: 0, waiting: 0 };

interface Started {
  readonly id: Id<'modelReplica'>;
  /** Rejects if the host could not start the replica. */
  readonly replica: Promise<Replica>;
  load: ReplicaLoad;
  /** Whether the host has returned the replica. It may be ready before. */
  hasStarted: boolean;
  isReady: boolean;
  isDraining: boolean;
}

/** A deployment that this process serves, with as many replicas as it needs. Replicas that die are replaced. */
export class ServedDeployment implements Served {
  private readonly started = new Map<Id<'modelReplica'>, Started>();
  private readonly stopping = new AbortController();
  private readonly scaling: Scaling;
  private wanted: number;
  private deaths = 0;
  private restart: NodeJS.Timeout | undefined;
  private readonly lastEnded = Promise.withResolvers<void>();

  constructor(
    private deployment: ClaimedDeployment,
    private readonly host: ModelHost,
    private readonly context: ServingContext,
  ) {
    this.wanted = deployment.scalingParameters.minReplicas;
    this.scaling = new Scaling(
      deployment.scalingParameters,
      () => this.grow(),
      () => this.shrink(),
    );
  }

  get reserved(): number {
    return Math.max(this.wanted, this.started.size);
  }

  get whenEnded(): Promise<void> {
    return this.lastEnded.promise;
  }

  get hasEnded(): boolean {
    return this.stopping.signal.aborted && this.started.size === 0;
  }

  update(deployment: ClaimedDeployment): void {
    this.deployment = deployment;
  }

  start(): void {
    this.context.apart(() => this.startReplicas()).catch((error: unknown) => this.failed(error));
  }

  stop(): void {
    if (this.stopping.signal.aborted) return;
    this.stopping.abort(new Error('The model is no longer served'));
    this.scaling.end();
    clearTimeout(this.restart);
    for (const started of this.started.values()) this.drain(started);
    if (this.hasEnded) this.lastEnded.resolve();
  }

  kill(): void {
    this.stop();
    for (const started of this.started.values()) this.killOne(started);
  }

  private async startReplicas(): Promise<void> {
    const { deployment } = this;
    const modelPath = await this.pathOf(deployment.kind === 'adapter' ? 'base' : 'model');
    const adapterPath = deployment.kind === 'adapter' ? await this.pathOf('model') : null;
    const running = () => [...this.started.values()].filter(({ isDraining }) => !isDraining).length;
    while (!this.stopping.signal.aborted && running() < this.wanted) this.add(modelPath, adapterPath);
    if (deployment.isStarting) await this.noteProgress(60);
  }

  private pathOf(which: 'model' | 'base'): Promise<string> {
    const { projectId, fileId, entry, baseFileId, baseEntry, isStarting } = this.deployment;
    const wanted = which === 'model' ? { fileId, entry } : { fileId: baseFileId, entry: baseEntry };
    if (wanted.fileId === null) throw new ContentGone();
    let noted = 0;
    const onRead = (share: number) => {
      const percentage = Math.min(59, Math.floor(share * 60));
      if (!isStarting || percentage < noted + 5) return;
      noted = percentage;
      void this.noteProgress(percentage).catch(() => undefined);
    };
    return this.context.files.ensure(
      { projectId, fileId: wanted.fileId, entry: wanted.entry },
      onRead,
      this.stopping.signal,
    );
  }

  private async noteProgress(percentage: number): Promise<void> {
    const { ask, deployments, processId } = this.context;
    await ask(deployments.noteProgress(processId, this.deployment.id, percentage));
    this.notify();
  }

  /** Notifies the dock job that waits until the deployment is served. */
  private notify(): void {
    this.context.notifications.notify(topicOf(this.deployment.id));
  }

  private add(modelPath: string, adapterPath: string | null): void {
    const { deployment } = this;
    const id = newId('modelReplica');
    const token = randomBytes(32).toString('base64url');
    const order = { modelPath, adapterPath, token, sequences: deployment.scalingParameters.maxBatchSize };
    const listener: ReplicaListener = {
      ready: (address) => void this.ready(id, address, token),
      load: (load) => this.loadChanged(id, load),
      ended: (end) => this.ended(id, end),
    };
    // The host is called after the replica is known here, because it may report at once that the replica has ended.
    const replica = Promise.resolve().then(() => this.host.start(order, listener));
    const started = { id, replica, load: IDLE, hasStarted: false, isReady: false, isDraining: false };
    this.started.set(id, started);
    replica.then(
      () => (started.hasStarted = true),
      (error: unknown) => this.notStarted(id, error),
    );
  }

  /** Callers do not see the error, because it may have addresses or credentials of the host. */
  private notStarted(id: Id<'modelReplica'>, error: unknown): void {
    this.context.log.warn({ err: error, replicaId: id }, 'A host could not start a replica');
    const message = 'A replica of the model could not be started. The log of the host says why.';
    this.ended(id, { code: 'REPLICA_DIED', message });
  }

  private async ready(id: Id<'modelReplica'>, address: string, token: string): Promise<void> {
    const { ask, processId, kind, replicas, tokens, log } = this.context;
    const deploymentId = this.deployment.id;
    const started = this.started.get(id);
    if (!started || this.stopping.signal.aborted) return;
    try {
      const tokenSealed = tokens.seal(token, id);
      await ask(replicas.add({ id, deploymentId, processId, host: kind.name, address, tokenSealed }));
      // A replica may end while its row is stored, and another connection may have deleted the row too early.
      if (!this.started.has(id)) return await this.removeRow(id);
      this.notify();
      started.isReady = true;
      this.deaths = 0;
      this.updateScaling();
    } catch (error) {
      log.warn({ err: error, replicaId: id }, 'A replica could not be stored');
      this.end(started, 'kill');
    }
  }

  private loadChanged(id: Id<'modelReplica'>, load: ReplicaLoad): void {
    const started = this.started.get(id);
    if (started) started.load = load;
    this.updateScaling();
  }

  private ended(id: Id<'modelReplica'>, end: ReplicaEnd): void {
    if (!this.started.delete(id)) return;
    void this.removeRow(id).catch(() => undefined);
    if (this.hasEnded) this.lastEnded.resolve();
    if (this.stopping.signal.aborted || end.code === 'DRAINED') return;
    this.context.log.warn({ deploymentId: this.deployment.id, replicaId: id, reason: end.message }, 'A replica ended');
    this.deaths += 1;
    if (end.code === 'ENGINE_MISSING') return this.context.engineMissing(end.message);
    const isFinal = FINAL_ENDS.includes(end.code) || this.deaths >= DEATHS_AT_START;
    if (this.deployment.isStarting && isFinal) return this.failStart(end.code, end.message);
    this.restartLater();
  }

  private failed(error: unknown): void {
    if (this.stopping.signal.aborted) return;
    this.context.log.warn({ deploymentId: this.deployment.id, err: error }, 'A model could not be served');
    this.deaths += 1;
    if (!this.deployment.isStarting || this.deaths < DEATHS_AT_START) return this.restartLater();
    if (error instanceof ContentGone)
      this.failStart('MODEL_CONTENT_GONE', 'The file of the model was deleted. Import it again.');
    else
      this.failStart(
        'MODEL_NOT_LOADED',
        'The file of the model could not be written to the disk of the host. The log of the host says why.',
      );
  }

  private restartLater(): void {
    clearTimeout(this.restart);
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.deaths - 1));
    this.restart = setTimeout(() => this.start(), pause).unref();
  }

  private failStart(code: string, message: string): void {
    const { ask, deployments, processId } = this.context;
    this.kill();
    void ask(deployments.noteTrouble(processId, this.deployment.id, { code, message }))
      .then(() => this.notify())
      .catch(() => undefined);
  }

  private updateScaling(): void {
    if (this.stopping.signal.aborted) return;
    const serving = [...this.started.values()].filter(({ isDraining }) => !isDraining);
    const loads = serving.filter(({ isReady }) => isReady).map(({ load }) => load);
    this.scaling.update(loads, serving.length);
  }

  private grow(): void {
    if (this.context.room() === 0) return;
    this.wanted += 1;
    this.start();
  }

  private shrink(): void {
    const serving = [...this.started.values()].filter(({ isDraining }) => !isDraining);
    const [leastBusy] = serving.toSorted((a, b) => a.load.active - b.load.active);
    if (!leastBusy || serving.length <= this.deployment.scalingParameters.minReplicas) return;
    this.wanted -= 1;
    this.drain(leastBusy);
    this.updateScaling();
  }

  /** Deletes the replica's row first, so that no further call goes to the replica. */
  private drain(started: Started): void {
    started.isDraining = true;
    const drain = () => (started.isReady ? this.end(started, 'drain') : this.killOne(started));
    void this.removeRow(started.id).then(drain, drain);
  }

  /** A replica that its host is still starting counts as ended, and is killed if the host returns it after all. */
  private killOne(started: Started): void {
    this.end(started, 'kill');
    if (!started.hasStarted) this.ended(started.id, { code: 'REPLICA_DIED', message: 'The replica did not start.' });
  }

  private end({ id, replica }: Started, how: 'drain' | 'kill'): void {
    const failed = (error: unknown) => this.context.log.warn({ err: error, replicaId: id }, 'A replica was not ended');
    replica
      .then(
        (running) => running[how](),
        () => undefined,
      )
      .catch(failed);
  }

  private removeRow(id: Id<'modelReplica'>): Promise<void> {
    return this.context.ask(this.context.replicas.delete(id));
  }
}

class ContentGone extends Error {}
