import { setTimeout as wait } from 'node:timers/promises';
import { type Id, newId } from '../../../kernel/ids.js';
import { FleetFault, type FleetFile, type FleetHost, type FleetOrder, type FleetState } from '../hosts/fleet-host.js';
import { type StartNote, topicOf } from '../model-deployment.entity.js';
import type { ClaimedDeployment } from '../model-deployment.repository.js';
import type { Served } from './served.js';
import type { ServingContext } from './serving-context.js';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 30_000;

/**
 * A deployment whose replicas another system runs. This process only asks for them and looks at them, so they stay
 * when it ends, and the next process that claims the deployment finds them.
 */
export class ServedFleet implements Served {
  readonly reserved = 0;
  private readonly stopping = new AbortController();
  private readonly ended = Promise.withResolvers<void>();
  private replica: { id: Id<'modelReplica'>; address: string; token: string; isStored: boolean } | undefined;
  private percentage = 0;
  private faults = 0;
  private faultySince: number | undefined;
  private lastReason = '';

  constructor(
    private deployment: ClaimedDeployment,
    private readonly host: FleetHost,
    private readonly context: ServingContext,
  ) {}

  get whenEnded(): Promise<void> {
    return this.ended.promise;
  }

  get hasEnded(): boolean {
    return this.stopping.signal.aborted;
  }

  start(): void {
    void this.context.apart(() => this.run()).finally(() => this.ended.resolve());
  }

  update(deployment: ClaimedDeployment): void {
    this.deployment = deployment;
  }

  stop(): void {
    this.stopping.abort(new Error('The model is no longer served'));
  }

  kill(): void {
    this.stop();
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const begunAt = performance.now();
      const pauseMs = await this.look().catch((error: unknown) => this.failed(error, begunAt));
      await wait(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
    await this.withdraw().catch(() => undefined);
  }

  /** Returns the milliseconds until the next look. */
  private async look(): Promise<number> {
    const { lookMs, lookSoonMs } = this.context.fleetPace;
    const order = this.order();
    if (!order) {
      await this.failStart('MODEL_CONTENT_GONE', 'The file of the model was deleted. Import it again.');
      return lookMs;
    }
    const state = await this.host.ensure(order, this.stopping.signal);
    await this.show(state);
    this.faults = 0;
    this.faultySince = undefined;
    return state.is === 'ready' ? lookMs : lookSoonMs;
  }

  private order(): FleetOrder | null {
    const { id, kind, deviceType, scalingParameters: scaling } = this.deployment;
    const { fileId, entry, baseFileId, baseEntry } = this.deployment;
    const own = fileOf(fileId, entry);
    const model = kind === 'adapter' ? fileOf(baseFileId, baseEntry) : own;
    if (!own || !model) return null;
    return { deploymentId: id, deviceType, scaling, model, adapter: kind === 'adapter' ? own : null };
  }

  private async show(state: FleetState): Promise<void> {
    if (state.is === 'ready') return this.offer(state.address, state.token);
    const down = state.is === 'failed' ? state.message : state.down;
    if (down !== undefined) await this.withdraw();
    if (down !== undefined && !this.deployment.isStarting) this.logOnce(down);
    if (state.is === 'failed') await this.failStart(state.code, state.message);
    else await this.noteStart(state.percentage, down);
  }

  /** Stores the address of the fleet as that of a replica, so that calls find it. */
  private async offer(address: string, token: string): Promise<void> {
    const { ask, processId, kind, replicas, tokens } = this.context;
    this.lastReason = '';
    const { replica } = this;
    if (replica?.isStored && replica.address === address && replica.token === token) return;
    await this.withdraw();
    const id = newId('modelReplica');
    const deploymentId = this.deployment.id;
    const tokenSealed = tokens.seal(token, id);
    // It is known before it is stored, because the answer to the statement may be lost.
    this.replica = { id, address, token, isStored: false };
    await ask(replicas.add({ id, deploymentId, processId, host: kind.name, address, tokenSealed }));
    this.replica.isStored = true;
    this.notify();
  }

  private async withdraw(): Promise<void> {
    if (!this.replica) return;
    await this.context.ask(this.context.replicas.delete(this.replica.id));
    this.replica = undefined;
  }

  /** Notes how far the start is, and why it is not further. */
  private async noteStart(percentage: number, reason = ''): Promise<void> {
    if (!this.deployment.isStarting) return;
    const { ask, deployments, processId } = this.context;
    if (percentage > this.percentage) await ask(deployments.noteProgress(processId, this.deployment.id, percentage));
    this.percentage = Math.max(percentage, this.percentage);
    this.notify({ reason });
  }

  /**
   * Returns the milliseconds until the next look. A fleet that was ready still counts as such: it may well answer calls
   * while the system that runs it cannot be asked.
   */
  private async failed(error: unknown, begunAt: number): Promise<number> {
    if (this.stopping.signal.aborted) return 0;
    this.faults += 1;
    this.faultySince ??= begunAt;
    const fault = error instanceof FleetFault ? error : undefined;
    this.logOnce(fault?.message ?? 'A fleet could not be looked after', error);
    if (fault?.isFinal || performance.now() - this.faultySince > this.context.fleetPace.longestFaultMs) {
      const message = fault?.message ?? 'The log of the service says why.';
      await this.failStart('NO_MODEL_HOST', `No host can serve the model. ${message}`).catch(() => undefined);
    }
    return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(10, this.faults - 1));
  }

  /** Fails the deployment if it starts. One that is live is tried until it is undeployed. */
  private async failStart(code: string, message: string): Promise<void> {
    if (!this.deployment.isStarting) return;
    const { ask, deployments, processId } = this.context;
    await ask(deployments.noteTrouble(processId, this.deployment.id, { code, message }));
    this.stop();
    this.notify();
  }

  /** Notifies the dock job that waits until the deployment is served. */
  private notify(note?: StartNote): void {
    this.context.notifications.notify(topicOf(this.deployment.id), note);
  }

  private logOnce(reason: string, error?: unknown): void {
    if (this.lastReason === reason) return;
    this.lastReason = reason;
    this.context.log.warn({ deploymentId: this.deployment.id, reason, err: error }, 'A fleet does not serve its model');
  }
}

function fileOf(fileId: Id<'file'> | null, entry: string | null): FleetFile | null {
  return fileId && { fileId, entry };
}
